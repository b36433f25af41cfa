package dev.forebay.operator;

import com.fasterxml.jackson.annotation.JsonIgnoreProperties;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * The status of a Dataset, for people and for the next reconciliation.
 *
 * @param observedGeneration the generation of the spec that this status describes
 * @param state one word for the whole: the reason of the most important condition
 * @param version the name of the version to keep warm
 * @param frozenAt when that version was created, as RFC 3339 text
 * @param warm in how many of the regions it is complete: {@code 1/2}
 * @param heldBy other holders of pins on it
 * @param regions each region that holds, or may hold, something for this resource
 * @param conditions in the form of all Kubernetes conditions
 */
@JsonIgnoreProperties(ignoreUnknown = true)
public record DatasetStatus(
        @Nullable Long observedGeneration,
        @Nullable String state,
        @Nullable String version,
        @Nullable String frozenAt,
        @Nullable Long objects,
        @Nullable Long bytes,
        @Nullable String warm,
        @Nullable String heldBy,
        List<Region> regions,
        List<Condition> conditions) {

    /** The status of a resource before its first reconciliation. */
    static final DatasetStatus NONE =
            new DatasetStatus(null, null, null, null, null, null, null, null, null, null);

    public DatasetStatus(
            @Nullable Long observedGeneration,
            @Nullable String state,
            @Nullable String version,
            @Nullable String frozenAt,
            @Nullable Long objects,
            @Nullable Long bytes,
            @Nullable String warm,
            @Nullable String heldBy,
            @Nullable List<Region> regions,
            @Nullable List<Condition> conditions) {
        this.observedGeneration = observedGeneration;
        this.state = state;
        this.version = version;
        this.frozenAt = frozenAt;
        this.objects = objects;
        this.bytes = bytes;
        this.warm = warm;
        this.heldBy = heldBy;
        this.regions = regions == null ? List.of() : List.copyOf(regions);
        this.conditions = conditions == null ? List.of() : List.copyOf(conditions);
    }

    /**
     * The state of a region.
     *
     * @param version the version to bring there or keep there
     * @param warm the complete version that is kept there until {@code version} is complete; null
     *     if there is none
     * @param state of {@code version}, as the API reports it
     * @param percent of {@code version}
     * @param bytesCached of {@code version}
     * @param cachedAt when {@code version} was complete, as RFC 3339 text
     * @param message why it makes no progress
     */
    @JsonIgnoreProperties(ignoreUnknown = true)
    public record Region(
            String name,
            String version,
            @Nullable String warm,
            String state,
            int percent,
            long bytesCached,
            @Nullable String cachedAt,
            @Nullable String message) {

        /** Returns what the region may hold. */
        RegionHolding holding() {
            return new RegionHolding(name, version, warm);
        }

        /** Returns the same region with another message. */
        Region with(@Nullable String why) {
            return new Region(name, version, warm, state, percent, bytesCached, cachedAt, why);
        }
    }

    /**
     * A condition, in the form of all Kubernetes conditions.
     *
     * @param status {@code True}, {@code False} or {@code Unknown}
     * @param lastTransitionTime since when it has that status, as RFC 3339 text
     * @param reason a word
     * @param message a sentence
     */
    @JsonIgnoreProperties(ignoreUnknown = true)
    public record Condition(
            String type,
            String status,
            @Nullable Long observedGeneration,
            String lastTransitionTime,
            String reason,
            String message) {}

    /** Returns what regions may hold for this resource. */
    List<RegionHolding> holdings() {
        return regions.stream().map(Region::holding).toList();
    }

    /** Returns whether the release of what is held has failed for this long. */
    boolean isStuck(Duration timeout, Instant now) {
        return condition(Conditions.RELEASED)
                .map(it -> Instant.parse(it.lastTransitionTime()))
                .filter(since -> !now.isBefore(since.plus(timeout)))
                .isPresent();
    }

    Optional<Condition> condition(String type) {
        return conditions.stream().filter(it -> it.type().equals(type)).findFirst();
    }

    /** Returns the same status with other regions. */
    DatasetStatus with(List<Region> others) {
        return with(observedGeneration, state, others, conditions);
    }

    /** Returns the same version with other regions and conditions. */
    DatasetStatus with(
            @Nullable Long generation,
            @Nullable String word,
            List<Region> others,
            List<Condition> said) {
        return new DatasetStatus(
                generation, word, version, frozenAt, objects, bytes, warm, heldBy, others, said);
    }
}
