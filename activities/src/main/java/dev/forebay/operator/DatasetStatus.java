package dev.forebay.operator;

import com.fasterxml.jackson.annotation.JsonIgnoreProperties;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * What there is of it, for people and for the next look.
 *
 * @param observedGeneration of the spec that this is about
 * @param state one word for all of it: the reason of the condition that matters most
 * @param version the name of the version that is kept warm
 * @param frozenAt when that was made, as RFC 3339 has it
 * @param warm in how many of the regions it is complete: {@code 1/2}
 * @param heldBy who else holds it
 * @param regions each region that holds something because of this resource, or may
 * @param conditions as all of Kubernetes has them
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

    /** Of a resource that nobody has looked at. */
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
     * A region.
     *
     * @param version what is brought there, or kept there
     * @param warm what is complete there and kept until {@code version} is; null if nothing is
     * @param state of {@code version}, as the API has it
     * @param percent of {@code version}
     * @param bytesCached of {@code version}
     * @param cachedAt when {@code version} was complete, as RFC 3339 has it
     * @param message why it does not get on
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

        /** What may be held there. */
        Holding holding() {
            return new Holding(name, version, warm);
        }

        /** The same, with another message. */
        Region with(@Nullable String why) {
            return new Region(name, version, warm, state, percent, bytesCached, cachedAt, why);
        }
    }

    /**
     * A condition, as all of Kubernetes has them.
     *
     * @param status {@code True}, {@code False} or {@code Unknown}
     * @param lastTransitionTime since when it has that status, as RFC 3339 has it
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

    /** What may be held because of this resource. */
    List<Holding> holdings() {
        return regions.stream().map(Region::holding).toList();
    }

    /** Whether it was tried for so long to let go of what is held, and has not worked. */
    boolean isStuck(Duration timeout, Instant now) {
        return condition(Conditions.RELEASED)
                .map(it -> Instant.parse(it.lastTransitionTime()))
                .filter(since -> !now.isBefore(since.plus(timeout)))
                .isPresent();
    }

    Optional<Condition> condition(String type) {
        return conditions.stream().filter(it -> it.type().equals(type)).findFirst();
    }

    /** The same, of other regions. */
    DatasetStatus with(List<Region> others) {
        return with(observedGeneration, state, others, conditions);
    }

    /** The same version, of which something else is to be said. */
    DatasetStatus with(
            @Nullable Long generation,
            @Nullable String word,
            List<Region> others,
            List<Condition> said) {
        return new DatasetStatus(
                generation, word, version, frozenAt, objects, bytes, warm, heldBy, others, said);
    }
}
