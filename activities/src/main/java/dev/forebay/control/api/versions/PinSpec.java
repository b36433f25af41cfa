package dev.forebay.control.api.versions;

import dev.forebay.control.api.RequestRules;
import dev.forebay.model.RegionName;
import dev.forebay.workflows.message.PinRequest;
import jakarta.validation.constraints.Max;
import jakarta.validation.constraints.Min;
import jakarta.validation.constraints.NotNull;
import jakarta.validation.constraints.Pattern;
import jakarta.validation.constraints.Size;
import java.time.Duration;
import org.eclipse.microprofile.openapi.annotations.media.Schema;
import org.jspecify.annotations.Nullable;

/** The pin that an ensure request takes. */
@Schema(name = "PinSpec")
record PinSpec(
        @Pattern(regexp = RequestRules.ID, message = RequestRules.ID_RULE)
                @Schema(
                        description =
                                "A request with the same id and holder renews the pin. Default: "
                                        + "the request's id")
                @Nullable String id,
        @NotNull(message = RequestRules.REQUIRED)
                @Pattern(regexp = RequestRules.HOLDER, message = RequestRules.HOLDER_RULE)
                @Size(max = RequestRules.TEXT_LENGTH, message = RequestRules.HOLDER_RULE)
                @Schema(description = "The pin owner, as shown to people", examples = "job train-7")
                String holder,
        @Pattern(regexp = RequestRules.TEXT, message = RequestRules.TEXT_RULE)
                @Size(max = RequestRules.TEXT_LENGTH, message = RequestRules.TEXT_RULE)
                @Schema(description = "The purpose, as shown to people")
                @Nullable String reason,
        @NotNull(message = RequestRules.REQUIRED)
                @Min(value = RequestRules.MIN_LEASE_SECONDS, message = RequestRules.LEASE_RULE)
                @Max(value = RequestRules.MAX_LEASE_SECONDS, message = RequestRules.LEASE_RULE)
                @Schema(
                        description = "How long the pin lives without a renewal, in seconds",
                        examples = "120")
                Long leaseSeconds,
        @Pattern(regexp = RequestRules.ID, message = RequestRules.ID_RULE)
                @Schema(description = "The uid of the Kubernetes Job that owns the pin")
                @Nullable String job) {

    PinRequest toRequest(RegionName region, String idIfNone) {
        return new PinRequest(
                region,
                id == null ? idIfNone : id,
                holder,
                reason == null ? "" : reason,
                Duration.ofSeconds(leaseSeconds),
                job);
    }
}
