package dev.forebay.control.api.versions;

import dev.forebay.control.api.RequestRules;
import jakarta.validation.constraints.NotNull;
import jakarta.validation.constraints.Pattern;
import org.eclipse.microprofile.openapi.annotations.media.Schema;

/** The body of requests that only name a region. */
@Schema(name = "InRegion")
record InRegion(
        @NotNull(message = RequestRules.REQUIRED)
                @Pattern(regexp = RequestRules.REGION, message = RequestRules.REGION_RULE)
                String region) {}
