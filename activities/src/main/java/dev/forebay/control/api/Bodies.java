package dev.forebay.control.api;

import dev.forebay.control.catalogue.LakeSource;
import dev.forebay.model.RegionName;
import dev.forebay.workflows.message.PinRequest;
import jakarta.validation.Valid;
import jakarta.validation.constraints.Max;
import jakarta.validation.constraints.Min;
import jakarta.validation.constraints.NotNull;
import jakarta.validation.constraints.Pattern;
import jakarta.validation.constraints.Size;
import java.time.Duration;
import org.eclipse.microprofile.openapi.annotations.media.Schema;
import org.jspecify.annotations.Nullable;

/** What requests carry. */
final class Bodies {

    private Bodies() {}

    @Schema(name = "NewDataset")
    record NewDataset(
            @NotNull(message = Rules.REQUIRED)
                    @Pattern(regexp = Rules.NAME, message = Rules.NAME_RULE)
                    @Schema(examples = "vision")
                    String namespace,
            @NotNull(message = Rules.REQUIRED)
                    @Pattern(regexp = Rules.NAME, message = Rules.NAME_RULE)
                    @Schema(examples = "digits")
                    String name,
            @NotNull(message = Rules.REQUIRED)
                    @Pattern(regexp = LakeSource.PATTERN, message = Rules.SOURCE_RULE)
                    @Schema(
                            description = "Where the originals are in the lake",
                            examples = "s3://lake/vision/digits/")
                    String source,
            @Min(value = Rules.MIN_TTL_SECONDS, message = Rules.TTL_RULE)
                    @Max(value = Rules.MAX_TTL_SECONDS, message = Rules.TTL_RULE)
                    @Schema(
                            description =
                                    "How long a new version stays in a region after its last pin has ended")
                    @Nullable Long ttlSeconds) {

        @Nullable Duration ttl() {
            return ttlSeconds == null ? null : Duration.ofSeconds(ttlSeconds);
        }
    }

    @Schema(name = "PinSpec")
    record PinSpec(
            @Pattern(regexp = Rules.ID, message = Rules.ID_RULE)
                    @Schema(
                            description =
                                    "The same id and holder again renew; without an id the request's")
                    @Nullable String id,
            @NotNull(message = Rules.REQUIRED)
                    @Pattern(regexp = Rules.HOLDER, message = Rules.HOLDER_RULE)
                    @Size(max = Rules.TEXT_LENGTH, message = Rules.HOLDER_RULE)
                    @Schema(description = "Who holds it, for people", examples = "job train-7")
                    String holder,
            @Pattern(regexp = Rules.TEXT, message = Rules.TEXT_RULE)
                    @Size(max = Rules.TEXT_LENGTH, message = Rules.TEXT_RULE)
                    @Schema(description = "What for, for people")
                    @Nullable String reason,
            @NotNull(message = Rules.REQUIRED)
                    @Min(value = Rules.MIN_LEASE_SECONDS, message = Rules.LEASE_RULE)
                    @Max(value = Rules.MAX_LEASE_SECONDS, message = Rules.LEASE_RULE)
                    @Schema(description = "How long it lives without renewal", examples = "120")
                    Long leaseSeconds) {

        PinRequest toRequest(RegionName region, String idIfNone) {
            return new PinRequest(
                    region,
                    id == null ? idIfNone : id,
                    holder,
                    reason == null ? "" : reason,
                    Duration.ofSeconds(leaseSeconds));
        }
    }

    @Schema(name = "Ensure")
    record Ensure(
            @NotNull(message = Rules.REQUIRED)
                    @Pattern(regexp = Rules.REGION, message = Rules.REGION_RULE)
                    String region,
            @Valid @Schema(description = "A pin to hold as soon as the version is there")
                    @Nullable PinSpec pin) {}

    @Schema(name = "NewPin")
    record NewPin(
            @NotNull(message = Rules.REQUIRED)
                    @Pattern(regexp = Rules.REGION, message = Rules.REGION_RULE)
                    String region,
            @Pattern(regexp = Rules.ID, message = Rules.ID_RULE)
                    @Schema(
                            description =
                                    "The same id and holder again renew; without an id, one is made up")
                    @Nullable String id,
            @NotNull(message = Rules.REQUIRED)
                    @Pattern(regexp = Rules.HOLDER, message = Rules.HOLDER_RULE)
                    @Size(max = Rules.TEXT_LENGTH, message = Rules.HOLDER_RULE)
                    String holder,
            @Pattern(regexp = Rules.TEXT, message = Rules.TEXT_RULE)
                    @Size(max = Rules.TEXT_LENGTH, message = Rules.TEXT_RULE)
                    @Nullable String reason,
            @NotNull(message = Rules.REQUIRED)
                    @Min(value = Rules.MIN_LEASE_SECONDS, message = Rules.LEASE_RULE)
                    @Max(value = Rules.MAX_LEASE_SECONDS, message = Rules.LEASE_RULE)
                    Long leaseSeconds) {

        PinRequest toRequest(RegionName in, String idIfNone) {
            return new PinSpec(id, holder, reason, leaseSeconds).toRequest(in, idIfNone);
        }
    }

    @Schema(name = "InRegion")
    record InRegion(
            @NotNull(message = Rules.REQUIRED)
                    @Pattern(regexp = Rules.REGION, message = Rules.REGION_RULE)
                    String region) {}

    @Schema(name = "Eviction")
    record Eviction(
            @NotNull(message = Rules.REQUIRED)
                    @Pattern(regexp = Rules.REGION, message = Rules.REGION_RULE)
                    String region,
            @Pattern(regexp = Rules.TEXT, message = Rules.TEXT_RULE)
                    @Size(max = Rules.TEXT_LENGTH, message = Rules.TEXT_RULE)
                    @Schema(description = "Why, for people; stays in the version's history")
                    @Nullable String reason) {}

    @Schema(name = "Ttl")
    record Ttl(
            @NotNull(message = Rules.REQUIRED)
                    @Min(value = Rules.MIN_TTL_SECONDS, message = Rules.TTL_RULE)
                    @Max(value = Rules.MAX_TTL_SECONDS, message = Rules.TTL_RULE)
                    Long ttlSeconds) {}
}
