package dev.forebay.control.api.versions;

import dev.forebay.control.api.Rules;
import jakarta.validation.constraints.NotNull;
import jakarta.validation.constraints.Pattern;
import org.eclipse.microprofile.openapi.annotations.media.Schema;

/** The body of requests that only name a region. */
@Schema(name = "InRegion")
record InRegion(
        @NotNull(message = Rules.REQUIRED)
                @Pattern(regexp = Rules.REGION, message = Rules.REGION_RULE)
                String region) {}
