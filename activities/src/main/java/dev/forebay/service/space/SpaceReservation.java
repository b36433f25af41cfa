package dev.forebay.service.space;

import dev.forebay.model.DatasetVersion;
import dev.forebay.model.ErrorCode;
import dev.forebay.model.RegionName;
import dev.forebay.service.space.EvictionCandidate.Kind;
import dev.forebay.service.space.VictimSelection.Selection;
import dev.forebay.service.space.VictimSelection.Victim;
import dev.forebay.workflows.message.Problem;
import dev.forebay.workflows.message.Urgency;
import java.time.Instant;
import java.util.List;
import java.util.Locale;
import java.util.function.Supplier;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * The request of a version for space in a region. It gets the space if the stores and the quota of
 * its namespace have it, and no version before it waits. A mounted version holds its space, whether
 * it is filled or not.
 *
 * @param ownBytes the space that the chunks of the version take, including shared ones
 * @param stores the chunk stores of the region
 * @param quota the quota of the namespace in the region; null if it has no limit
 * @param queue the versions that wait for space, in the order of admission, with this one
 */
public record SpaceReservation(
        DatasetVersion version,
        RegionName region,
        Urgency urgency,
        long ownBytes,
        Limit stores,
        @Nullable Limit quota,
        List<DatasetVersion> queue) {

    /**
     * A limit of space, and its use.
     *
     * @param knownBytes the capacity once all workers that are away are back; {@link
     *     Long#MAX_VALUE} if it is not known
     * @param takenBytes the space that versions take now
     * @param neededBytes the additional space of the version
     */
    public record Limit(long capacityBytes, long knownBytes, long takenBytes, long neededBytes) {

        private long lackBytes() {
            return neededBytes == 0 ? 0 : Math.max(0, takenBytes + neededBytes - capacityBytes);
        }
    }

    /** Whether a region admits a version. */
    public enum Admission {
        /** The version is there, or there is enough space. */
        ADMITTED,
        /** There is enough space once unpinned versions are evicted. */
        AFTER_EVICTION,
        /** There is enough space only once versions that are pinned or being filled are gone. */
        WAITS,
        /** The version is larger than the region, or than the quota of its namespace. */
        REFUSED
    }

    /**
     * The decision about a request.
     *
     * @param victims the versions to evict first; empty unless it is AFTER_EVICTION
     * @param problem why the version is not admitted at once; null if it is
     * @param steppedAside whether its quota or an absent worker keeps it out, so that later
     *     versions may pass it
     * @param notBefore when the pins that are in the way end without a renewal; null if it does not
     *     wait for pins, or that is not known
     */
    public record Decision(
            Admission admission,
            List<Victim> victims,
            @Nullable Problem problem,
            boolean steppedAside,
            @Nullable Instant notBefore) {

        static final Decision ADMITTED =
                new Decision(Admission.ADMITTED, List.of(), null, false, null);
    }

    /**
     * Decides whether the version is admitted.
     *
     * @param taken returns the space of the versions in the region, if space is short
     */
    public Decision decide(Supplier<UsedSpace> taken) {
        if (stores.neededBytes() > 0 && stores.capacityBytes() == 0) {
            return waits(
                    ErrorCode.UNAVAILABLE,
                    "no worker is registered in %s: start workers, and check them with 'forebay regions'"
                            .formatted(region),
                    true,
                    null);
        }
        if (stores.neededBytes() > 0 && ownBytes > stores.knownBytes()) {
            return refused(
                    say(
                            "%s needs %,d bytes, but all chunk stores of %s together hold %,d: "
                                    + "add workers, or raise forebay.worker.capacity",
                            version, ownBytes, region, stores.knownBytes()));
        }
        if (quota == null || quota.neededBytes() == 0) {
            return ofStores(() -> evictable(taken));
        }
        if (ownBytes > quota.capacityBytes()) {
            return refused(
                    say(
                            "%s needs %,d bytes, but the quota of namespace %s in %s is %,d: "
                                    + "'%s' raises it enough",
                            version,
                            ownBytes,
                            namespace(),
                            region,
                            quota.capacityBytes(),
                            quotaOf(ownBytes)));
        }
        return quota.lackBytes() == 0
                ? ofStores(() -> evictable(taken))
                : ofQuota(quota, evictable(taken));
    }

    private UsedSpace evictable(Supplier<UsedSpace> taken) {
        return urgency == Urgency.SPECULATIVE ? taken.get().withoutUnexpired() : taken.get();
    }

    /** Evicts versions of the namespace first, which frees space in the stores, too. */
    private Decision ofQuota(Limit limit, UsedSpace taken) {
        VictimSelection own = new VictimSelection(taken.of(namespace()), version);
        Decision first =
                afterEviction(
                        own,
                        limit.lackBytes(),
                        say(
                                "namespace %s uses %,d of the %,d bytes of its quota in %s, and "
                                        + "%s needs %,d more: '%s' raises the quota enough",
                                namespace(),
                                limit.takenBytes(),
                                limit.capacityBytes(),
                                region,
                                version,
                                limit.neededBytes(),
                                quotaOf(limit.takenBytes() + limit.neededBytes())),
                        true);
        if (first.admission() == Admission.WAITS) {
            return first;
        }
        Decision then =
                ofStores(
                        () ->
                                taken.without(
                                        first.victims().stream()
                                                .map(Victim::version)
                                                .collect(Collectors.toSet())));
        return switch (then.admission()) {
            case ADMITTED -> first;
            case AFTER_EVICTION ->
                    new Decision(
                            Admission.AFTER_EVICTION,
                            Stream.concat(first.victims().stream(), then.victims().stream())
                                    .toList(),
                            then.problem(),
                            true,
                            null);
            case WAITS, REFUSED ->
                    new Decision(
                            then.admission(), List.of(), then.problem(), true, then.notBefore());
        };
    }

    private Decision ofStores(Supplier<UsedSpace> taken) {
        if (stores.neededBytes() == 0) {
            return Decision.ADMITTED;
        }
        if (ownBytes > stores.capacityBytes()) {
            // Later versions may pass, because workers that are away may never return.
            return waits(ErrorCode.CAPACITY_EXCEEDED, workersAreAway(), true, null);
        }
        int place = queue.indexOf(version);
        if (place > 0) {
            // Even if only this version would fit. Small versions cannot starve a large one.
            return waits(
                    ErrorCode.CAPACITY_EXCEEDED,
                    say(
                            "number %d of %d in the queue of %s, behind %s: 'forebay queue "
                                    + "--region %s' lists the queue",
                            place + 1, queue.size(), region, queue.get(place - 1), region),
                    false,
                    null);
        }
        return stores.lackBytes() == 0
                ? Decision.ADMITTED
                : afterEviction(
                        new VictimSelection(taken.get(), version),
                        stores.lackBytes(),
                        say(
                                "first in the queue of %s: it needs %,d bytes, and %,d of %,d "
                                        + "are in use",
                                region,
                                stores.neededBytes(),
                                stores.takenBytes(),
                                stores.capacityBytes()),
                        false);
    }

    private Decision afterEviction(
            VictimSelection selection, long lack, String why, boolean steppedAside) {
        Selection chosen = selection.select(lack);
        if (chosen.shortBytes() > 0) {
            return waits(
                    ErrorCode.CAPACITY_EXCEEDED,
                    say(
                            "%s; evictions free only %,d, because %d versions are pinned and %d are being filled or must stay: 'forebay pins --region %s' lists the pins",
                            why,
                            lack - chosen.shortBytes(),
                            selection.count(Kind.HELD),
                            selection.count(Kind.BUSY),
                            region),
                    steppedAside,
                    selection.pinsEnd(lack));
        }
        return new Decision(
                Admission.AFTER_EVICTION,
                chosen.victims(),
                new Problem(
                        ErrorCode.CAPACITY_EXCEEDED,
                        why
                                + (chosen.victims().isEmpty()
                                        ? "; running evictions free enough"
                                        : "; the eviction of %d unpinned versions frees enough"
                                                .formatted(chosen.victims().size()))),
                steppedAside,
                null);
    }

    private String workersAreAway() {
        return stores.knownBytes() == Long.MAX_VALUE
                ? say(
                        "%s needs %,d bytes, but the workers of %s that its agent can read have "
                                + "%,d: upgrade the agent",
                        version, ownBytes, region, stores.capacityBytes())
                : say(
                        "%s needs %,d bytes. Some workers of %s, which recently had %,d "
                                + "together, are missing, and the others have %,d: 'forebay "
                                + "regions' lists them",
                        version, ownBytes, region, stores.knownBytes(), stores.capacityBytes());
    }

    private static Decision refused(String why) {
        return new Decision(
                Admission.REFUSED, List.of(), new Problem(ErrorCode.TOO_LARGE, why), false, null);
    }

    private static Decision waits(
            ErrorCode code, String why, boolean steppedAside, @Nullable Instant notBefore) {
        return new Decision(
                Admission.WAITS, List.of(), new Problem(code, why), steppedAside, notBefore);
    }

    private String namespace() {
        return version.dataset().namespace();
    }

    private String quotaOf(long bytes) {
        return "forebay quota %s %d --region %s".formatted(namespace(), bytes, region);
    }

    /** Error Prone cannot check {@code format}, but every call passes a literal. */
    @SuppressWarnings("AnnotateFormatMethod")
    private static String say(String format, Object... values) {
        return String.format(Locale.ROOT, format, values);
    }
}
