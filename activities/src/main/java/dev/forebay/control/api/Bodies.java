package dev.forebay.control.api;

import dev.forebay.control.catalogue.LakeSource;
import dev.forebay.control.catalogue.TtlAfter;
import dev.forebay.model.RegionName;
import dev.forebay.workflows.message.PinRequest;
import dev.forebay.workflows.message.Terms;
import dev.forebay.workflows.message.Terms.OnDeadline;
import dev.forebay.workflows.message.Urgency;
import jakarta.validation.Valid;
import jakarta.validation.constraints.DecimalMax;
import jakarta.validation.constraints.DecimalMin;
import jakarta.validation.constraints.Max;
import jakarta.validation.constraints.Min;
import jakarta.validation.constraints.NotNull;
import jakarta.validation.constraints.Pattern;
import jakarta.validation.constraints.Size;
import java.time.Duration;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.stream.Stream;
import org.eclipse.microprofile.openapi.annotations.media.Schema;
import org.jspecify.annotations.Nullable;

/** The request bodies. */
public final class Bodies {

    private Bodies() {}

    private static @Nullable TtlAfter ttlBegins(@Nullable String after) {
        return after == null ? null : TtlAfter.valueOf(after.toUpperCase(Locale.ROOT));
    }

    private static @Nullable Duration seconds(@Nullable Long given) {
        return given == null ? null : Duration.ofSeconds(given);
    }

    @Schema(name = "NewDataset")
    public record NewDataset(
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
            @Size(max = Rules.MOST_PATTERNS, message = Rules.PATTERNS_RULE)
                    @Schema(
                            description =
                                    "Patterns of keys relative to the source, of which one must match: * and ? within a"
                                            + " component, ** for any number of components; all keys if there is none",
                            examples = "train/**")
                    @Nullable List<@NotNull(message = Rules.REQUIRED) @KeyPattern String> include,
            @Size(max = Rules.MOST_PATTERNS, message = Rules.PATTERNS_RULE)
                    @Schema(
                            description =
                                    "Patterns of keys that do not belong to it, whatever includes them",
                            examples = "**/*.tmp")
                    @Nullable List<@NotNull(message = Rules.REQUIRED) @KeyPattern String> exclude,
            @Pattern(regexp = LakeSource.OBJECT_PATTERN, message = Rules.KEYS_RULE)
                    @Schema(
                            description =
                                    "An object that lists the keys, one a line, if not all below the source are meant",
                            examples = "s3://lake/vision/lists/digits.txt")
                    @Nullable String keys,
            @Min(value = Rules.MIN_TTL_SECONDS, message = Rules.TTL_RULE)
                    @Max(value = Rules.MAX_TTL_SECONDS, message = Rules.TTL_RULE)
                    @Schema(
                            description =
                                    "How long a new version stays in a region after its last pin has ended")
                    @Nullable Long ttlSeconds,
            @Pattern(regexp = Rules.TTL_AFTER, message = Rules.TTL_AFTER_RULE)
                    @Schema(
                            enumeration = {"pin", "read"},
                            description =
                                    "From what that counts: the last pin, or the last pin or read; pin if absent")
                    @Nullable String ttlAfter) {

        public @Nullable TtlAfter ttlBegins() {
            return Bodies.ttlBegins(ttlAfter);
        }

        public LakeSource lakeSource() {
            return LakeSource.parse(source)
                    .with(
                            include == null ? List.of() : include,
                            exclude == null ? List.of() : exclude,
                            keys);
        }

        public @Nullable Duration ttl() {
            return seconds(ttlSeconds);
        }
    }

    @Schema(name = "DatasetTtl")
    public record DatasetTtl(
            @Min(value = Rules.MIN_TTL_SECONDS, message = Rules.TTL_RULE)
                    @Max(value = Rules.MAX_TTL_SECONDS, message = Rules.TTL_RULE)
                    @Schema(description = "As it is, if absent")
                    @Nullable Long ttlSeconds,
            @Pattern(regexp = Rules.TTL_AFTER, message = Rules.TTL_AFTER_RULE)
                    @Schema(
                            enumeration = {"pin", "read"},
                            description = "From what that counts; as it is, if absent")
                    @Nullable String ttlAfter) {

        public @Nullable TtlAfter ttlBegins() {
            return Bodies.ttlBegins(ttlAfter);
        }

        public @Nullable Duration ttl() {
            return seconds(ttlSeconds);
        }
    }

    @Schema(name = "PinSpec")
    public record PinSpec(
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
                    Long leaseSeconds,
            @Pattern(regexp = Rules.ID, message = Rules.ID_RULE)
                    @Schema(description = "The uid of the Kubernetes Job that holds it")
                    @Nullable String job) {

        public PinRequest toRequest(RegionName region, String idIfNone) {
            return new PinRequest(
                    region,
                    id == null ? idIfNone : id,
                    holder,
                    reason == null ? "" : reason,
                    Duration.ofSeconds(leaseSeconds),
                    job);
        }
    }

    @Schema(name = "Ensure")
    @Whereabouts
    public record Ensure(
            @Pattern(regexp = Rules.REGION, message = Rules.REGION_RULE)
                    @Schema(description = "Where; or regions")
                    @Nullable String region,
            @Schema(
                            description =
                                    "Several regions at once, instead of region; answered when all are served")
                    @Nullable
                            List<
                                    @NotNull(message = Rules.REGION_RULE)
                                    @Pattern(regexp = Rules.REGION, message = Rules.REGION_RULE)
                                    String>
                            regions,
            @Valid
                    @Schema(
                            description =
                                    "A pin to hold as soon as the version is there, in each region")
                    @Nullable PinSpec pin,
            @DecimalMin(value = "0", message = Rules.COVERAGE_RULE)
                    @DecimalMax(value = "1", message = Rules.COVERAGE_RULE)
                    @Schema(
                            description =
                                    "The part of the bytes that has to be there, and verified; 1 if absent. The rest follows")
                    @Nullable Double minCoverage,
            @Min(value = Rules.MIN_DEADLINE_SECONDS, message = Rules.DEADLINE_RULE)
                    @Max(value = Rules.MAX_DEADLINE_SECONDS, message = Rules.DEADLINE_RULE)
                    @Schema(description = "How long it may take; any time if absent")
                    @Nullable Long deadlineSeconds,
            @Pattern(regexp = Rules.ON_DEADLINE, message = Rules.ON_DEADLINE_RULE)
                    @Schema(
                            enumeration = {"fail", "run_cold"},
                            description =
                                    "What is answered when the deadline has passed: 504 DEADLINE_EXCEEDED, or a receipt that says why it is cold; fail if absent")
                    @Nullable String onDeadline,
            @Pattern(regexp = Rules.PRIORITY, message = Rules.PRIORITY_RULE)
                    @Schema(
                            enumeration = {"interactive", "speculative"},
                            description =
                                    "Whether somebody waits for it; interactive if absent. What is speculative is filled after what is not")
                    @Nullable String priority,
            @Pattern(regexp = Rules.TEXT, message = Rules.TEXT_RULE)
                    @Size(max = Rules.TEXT_LENGTH, message = Rules.TEXT_RULE)
                    @Schema(
                            description =
                                    "The run that asks, to whose account goes what is filled because of it")
                    @Nullable String runId,
            @Schema(
                            description =
                                    "Whether a version that the dataset does not have is to be created; if absent, only its first is")
                    @Nullable Boolean create) {

        /** Returns the names of the requested regions, from either field. */
        public List<String> named() {
            return regions != null ? regions : Stream.ofNullable(region).toList();
        }

        public Terms terms() {
            return new Terms(
                    minCoverage == null ? 1 : minCoverage,
                    deadlineSeconds == null ? null : Duration.ofSeconds(deadlineSeconds),
                    chosen(OnDeadline.class, onDeadline, OnDeadline.FAIL),
                    chosen(Urgency.class, priority, Urgency.INTERACTIVE));
        }

        private static <E extends Enum<E>> E chosen(
                Class<E> kind, @Nullable String name, E otherwise) {
            return name == null ? otherwise : Enum.valueOf(kind, name.toUpperCase(Locale.ROOT));
        }
    }

    @Schema(name = "NewPin")
    public record NewPin(
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
                    Long leaseSeconds,
            @Pattern(regexp = Rules.ID, message = Rules.ID_RULE)
                    @Schema(description = "The uid of the Kubernetes Job that holds it")
                    @Nullable String job) {

        public PinRequest toRequest(RegionName in, String idIfNone) {
            return new PinSpec(id, holder, reason, leaseSeconds, job).toRequest(in, idIfNone);
        }
    }

    @Schema(name = "Planned")
    public record Planned(
            @Size(min = 1, max = Rules.MOST_REGIONS, message = Rules.PLANNED_REGIONS_RULE)
                    @Schema(description = "Where; everywhere if absent")
                    @Nullable
                            List<
                                    @NotNull(message = Rules.REGION_RULE)
                                    @Pattern(regexp = Rules.REGION, message = Rules.REGION_RULE)
                                    String>
                            regions) {}

    @Schema(name = "NewTracking")
    public record NewTracking(
            @Min(value = Rules.MIN_INTERVAL_SECONDS, message = Rules.INTERVAL_RULE)
                    @Max(value = Rules.MAX_INTERVAL_SECONDS, message = Rules.INTERVAL_RULE)
                    @Schema(description = "Between checks; as it is, or the default, if absent")
                    @Nullable Long intervalSeconds,
            @Schema(description = "Whether it pauses; as it is, or not, if absent")
                    @Nullable Boolean paused) {

        public Optional<Duration> interval() {
            return Optional.ofNullable(intervalSeconds).map(Duration::ofSeconds);
        }
    }

    @Schema(name = "Moved")
    public record Moved(
            @NotNull(message = Rules.REQUIRED)
                    @Pattern(regexp = Rules.VERSION, message = Rules.VERSION_RULE)
                    @Schema(
                            description =
                                    "The version that the alias means from now on: its name, its digest, latest, or what another alias means now")
                    String version) {}

    @Schema(name = "InRegion")
    public record InRegion(
            @NotNull(message = Rules.REQUIRED)
                    @Pattern(regexp = Rules.REGION, message = Rules.REGION_RULE)
                    String region) {}

    @Schema(name = "Eviction")
    public record Eviction(
            @NotNull(message = Rules.REQUIRED)
                    @Pattern(regexp = Rules.REGION, message = Rules.REGION_RULE)
                    String region,
            @Pattern(regexp = Rules.TEXT, message = Rules.TEXT_RULE)
                    @Size(max = Rules.TEXT_LENGTH, message = Rules.TEXT_RULE)
                    @Schema(description = "Why, for people; stays in the version's history")
                    @Nullable String reason) {}

    @Schema(name = "Note")
    public record Note(
            @Pattern(regexp = Rules.TEXT, message = Rules.TEXT_RULE)
                    @Size(max = Rules.TEXT_LENGTH, message = Rules.TEXT_RULE)
                    @Schema(description = "Why, for people; stays with the schedule")
                    @Nullable String reason) {

        /**
         * Returns the reason or the default. The result is never empty, because Temporal treats an
         * empty note as no change.
         */
        public String or(String otherwise) {
            return reason == null || reason.isBlank() ? otherwise : reason;
        }
    }

    @Schema(name = "Quota")
    public record Quota(
            @Pattern(regexp = Rules.REGION, message = Rules.REGION_RULE)
                    @Schema(
                            description =
                                    "Where; in every region that has none of its own if absent")
                    @Nullable String region,
            @NotNull(message = Rules.REQUIRED)
                    @Min(value = 0, message = Rules.QUOTA_RULE)
                    @Schema(description = "How much room the namespace's versions may have there")
                    Long bytes) {}

    @Schema(name = "Ttl")
    public record Ttl(
            @NotNull(message = Rules.REQUIRED)
                    @Min(value = Rules.MIN_TTL_SECONDS, message = Rules.TTL_RULE)
                    @Max(value = Rules.MAX_TTL_SECONDS, message = Rules.TTL_RULE)
                    Long ttlSeconds) {}
}
