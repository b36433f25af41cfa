package dev.forebay.control.api.datasets;

import dev.forebay.control.api.RequestRules;
import dev.forebay.control.catalogue.TtlAfter;
import jakarta.validation.constraints.Max;
import jakarta.validation.constraints.Min;
import jakarta.validation.constraints.Pattern;
import java.time.Duration;
import java.util.Locale;
import org.eclipse.microprofile.openapi.annotations.media.Schema;
import org.jspecify.annotations.Nullable;

/** The time to live of the versions of a dataset. */
@Schema(name = "DatasetTtl")
record DatasetTtl(
        @Min(value = RequestRules.MIN_TTL_SECONDS, message = RequestRules.TTL_RULE)
                @Max(value = RequestRules.MAX_TTL_SECONDS, message = RequestRules.TTL_RULE)
                @Schema(description = "Absent: unchanged")
                @Nullable Long ttlSeconds,
        @Pattern(regexp = RequestRules.TTL_AFTER, message = RequestRules.TTL_AFTER_RULE)
                @Schema(
                        enumeration = {"pin", "read"},
                        description =
                                "Start of the time to live, see registration. Absent: "
                                        + "unchanged")
                @Nullable String ttlAfter) {

    @Nullable Duration duration() {
        return ttlSeconds == null ? null : Duration.ofSeconds(ttlSeconds);
    }

    @Nullable TtlAfter begin() {
        return ttlAfter == null ? null : TtlAfter.valueOf(ttlAfter.toUpperCase(Locale.ROOT));
    }
}
