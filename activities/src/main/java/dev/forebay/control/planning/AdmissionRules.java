package dev.forebay.control.planning;

import dev.forebay.control.eviction.EvictionCandidate;
import dev.forebay.control.eviction.EvictionCandidate.Kind;
import dev.forebay.control.eviction.SharedBytes;
import dev.forebay.control.eviction.VictimChoice;
import dev.forebay.control.planning.FillPlan.Admission;
import dev.forebay.control.planning.FillPlan.Room;
import dev.forebay.control.planning.FillPlan.Victim;
import dev.forebay.model.DatasetVersion;
import dev.forebay.model.ErrorCode;
import dev.forebay.workflows.message.Problem;
import java.time.Instant;
import java.util.Comparator;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * Decides whether there is enough capacity for a version, and which versions would be evicted for
 * it. Pure rules, for a region or for a quota.
 *
 * @param where the region or quota, for messages
 * @param ownBytes the capacity that the chunks of the version take
 * @param neededBytes the part of it that is not taken yet
 * @param takenBytes the capacity that versions take now
 * @param knownBytes the capacity once all workers that are down are back
 */
record AdmissionRules(
        DatasetVersion version,
        String where,
        long ownBytes,
        long neededBytes,
        long takenBytes,
        long capacityBytes,
        long knownBytes) {

    /**
     * Decides with the versions that are there.
     *
     * @param shares the bytes that become free with the last of their owners; includes bytes that
     *     the version needs, too
     */
    Room decide(List<EvictionCandidate> others, List<SharedBytes.Share> shares, Instant now) {
        if (neededBytes == 0) {
            return room(Admission.ADMITTED, null, null);
        }
        if (ownBytes > capacityBytes && ownBytes <= knownBytes) {
            return room(
                    Admission.WAITS,
                    new Problem(
                            ErrorCode.CAPACITY_EXCEEDED,
                            String.format(
                                    Locale.ROOT,
                                    "%s takes %,d bytes, and some workers are away: without them %s have %,d",
                                    version,
                                    ownBytes,
                                    where,
                                    capacityBytes)),
                    null);
        }
        if (ownBytes > capacityBytes) {
            return room(
                    Admission.REFUSED,
                    new Problem(
                            ErrorCode.TOO_LARGE,
                            String.format(
                                    Locale.ROOT,
                                    "%s takes %,d bytes, %s: %,d",
                                    version,
                                    ownBytes,
                                    where,
                                    capacityBytes)),
                    null);
        }
        long lack = takenBytes + neededBytes - capacityBytes;
        return lack <= 0
                ? room(Admission.ADMITTED, null, null)
                : whenOthersGo(lack, others, new SharedBytes(shares), now);
    }

    private Room whenOthersGo(
            long lack, List<EvictionCandidate> others, SharedBytes staying, Instant now) {
        long leaving = remove(of(others, Kind.LEAVING), staying);
        Optional<List<EvictionCandidate>> chosen =
                new VictimChoice(version, others, staying, now).enough(lack - leaving);
        if (chosen.isPresent()) {
            List<Victim> victims =
                    chosen.get().stream()
                            .map(each -> victim(each, staying.remove(each.version())))
                            .toList();
            return room(
                    Admission.AFTER_EVICTION,
                    victims,
                    new Problem(
                            ErrorCode.CAPACITY_EXCEEDED,
                            String.format(
                                    Locale.ROOT,
                                    "%s needs %,d bytes more than are left of %s: %s",
                                    version,
                                    lack,
                                    where,
                                    victims.isEmpty()
                                            ? "those that are being evicted make that room"
                                            : victims.size()
                                                    + " versions that nobody holds would go")),
                    null);
        }
        long spare = leaving + remove(of(others, Kind.FREE), staying);
        return room(
                Admission.WAITS,
                new Problem(
                        ErrorCode.CAPACITY_EXCEEDED,
                        String.format(
                                Locale.ROOT,
                                "%s needs %,d bytes more than are left of %s, and only %,d are of versions that may go:"
                                        + " %d are held, %d others may not go or are being filled",
                                version,
                                lack,
                                where,
                                spare,
                                of(others, Kind.HELD).size(),
                                of(others, Kind.BUSY).size())),
                pinsEnd(lack - spare, others, staying, now));
    }

    /**
     * Returns when enough pins have ended, so that their versions and those that can be evicted now
     * free enough. Returns null if the latter are enough, or that is not known.
     */
    static @Nullable Instant pinsEnd(
            long lack,
            List<EvictionCandidate> others,
            List<SharedBytes.Share> shares,
            Instant now) {
        SharedBytes staying = new SharedBytes(shares);
        long spare =
                remove(of(others, Kind.LEAVING), staying) + remove(of(others, Kind.FREE), staying);
        return pinsEnd(lack - spare, others, staying, now);
    }

    private static @Nullable Instant pinsEnd(
            long lack, List<EvictionCandidate> others, SharedBytes staying, Instant now) {
        if (lack <= 0) {
            return null;
        }
        List<EvictionCandidate> held =
                of(others, Kind.HELD).stream()
                        .sorted(
                                Comparator.comparing(
                                        EvictionCandidate::heldUntil,
                                        Comparator.nullsLast(Comparator.naturalOrder())))
                        .toList();
        long made = 0;
        for (EvictionCandidate each : held) {
            made += staying.remove(each.version());
            if (made >= lack) {
                Instant until = each.heldUntil();
                return until == null || until.isAfter(now) ? until : now;
            }
        }
        return null;
    }

    /** Removes these versions, and returns how much capacity that frees. */
    private static long remove(List<EvictionCandidate> leaving, SharedBytes staying) {
        return leaving.stream().mapToLong(each -> staying.remove(each.version())).sum();
    }

    private Room room(Admission admission, @Nullable Problem problem, @Nullable Instant notBefore) {
        return room(admission, List.of(), problem, notBefore);
    }

    private Room room(
            Admission admission,
            List<Victim> victims,
            @Nullable Problem problem,
            @Nullable Instant notBefore) {
        return new Room(
                admission, neededBytes, takenBytes, capacityBytes, victims, problem, notBefore);
    }

    private static Victim victim(EvictionCandidate occupant, long bytes) {
        return new Victim(
                occupant.version(),
                bytes,
                occupant.uses(),
                occupant.refetchCost(),
                occupant.evictableAt());
    }

    private static List<EvictionCandidate> of(List<EvictionCandidate> others, Kind kind) {
        return others.stream().filter(each -> each.kind() == kind).toList();
    }
}
