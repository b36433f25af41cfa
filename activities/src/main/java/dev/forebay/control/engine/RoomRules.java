package dev.forebay.control.engine;

import dev.forebay.control.engine.Occupant.Kind;
import dev.forebay.control.engine.Plan.Admission;
import dev.forebay.control.engine.Plan.Room;
import dev.forebay.control.engine.Plan.Victim;
import dev.forebay.model.DatasetVersion;
import dev.forebay.model.ErrorCode;
import dev.forebay.model.RegionName;
import dev.forebay.workflows.message.Problem;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * Whether a version has room in a region, and who would have to go for it: pure rules over what is
 * known of the others.
 *
 * @param ownBytes how much the chunks of the version take
 * @param neededBytes how much of that is not taken yet
 * @param takenBytes how much versions take that are there
 */
record RoomRules(
        DatasetVersion version,
        RegionName region,
        long ownBytes,
        long neededBytes,
        long takenBytes,
        long capacityBytes) {

    /** What holds while these are there. */
    Room decide(List<Occupant> others, Instant now) {
        if (neededBytes == 0) {
            return room(Admission.ADMITTED, List.of(), null, null);
        }
        if (capacityBytes == 0) {
            return room(
                    Admission.WAITS,
                    List.of(),
                    new Problem(ErrorCode.UNAVAILABLE, region + " has no worker"),
                    null);
        }
        if (ownBytes > capacityBytes) {
            return room(
                    Admission.REFUSED,
                    List.of(),
                    new Problem(
                            ErrorCode.TOO_LARGE,
                            String.format(
                                    Locale.ROOT,
                                    "%s takes %,d bytes, the chunk stores of %s together have %,d",
                                    version,
                                    ownBytes,
                                    region,
                                    capacityBytes)),
                    null);
        }
        long lack = takenBytes + neededBytes - capacityBytes;
        return lack <= 0
                ? room(Admission.ADMITTED, List.of(), null, null)
                : whenOthersGo(lack, others, now);
    }

    private Room whenOthersGo(long lack, List<Occupant> others, Instant now) {
        long leaving = sum(others, Kind.LEAVING);
        List<Occupant> free =
                of(others, Kind.FREE).stream().sorted(Occupant.leavingOrder(now)).toList();
        Optional<List<Occupant>> victims = enough(free, lack - leaving);
        if (victims.isPresent()) {
            return room(
                    Admission.AFTER_EVICTION,
                    victims.get(),
                    new Problem(
                            ErrorCode.CAPACITY_EXCEEDED,
                            String.format(
                                    Locale.ROOT,
                                    "%s needs %,d bytes more than %s has: %d versions that nobody holds would go",
                                    version,
                                    lack,
                                    region,
                                    victims.get().size())),
                    null);
        }
        long spare = leaving + sum(others, Kind.FREE);
        return room(
                Admission.WAITS,
                List.of(),
                new Problem(
                        ErrorCode.CAPACITY_EXCEEDED,
                        String.format(
                                Locale.ROOT,
                                "%s needs %,d bytes more than %s has, and only %,d are of versions that nobody"
                                        + " holds or fills: %d are held, %d are being filled",
                                version,
                                lack,
                                region,
                                spare,
                                of(others, Kind.HELD).size(),
                                of(others, Kind.BUSY).size())),
                pinsEnd(lack - spare, others));
    }

    /**
     * The first of these whose room is enough, without those that it turns out not to take; empty
     * if all together are not enough.
     */
    private static Optional<List<Occupant>> enough(List<Occupant> inOrder, long bytes) {
        List<Occupant> chosen = new ArrayList<>();
        long made = 0;
        for (Occupant each : inOrder) {
            if (made >= bytes) {
                break;
            }
            chosen.add(each);
            made += each.roomBytes();
        }
        if (made < bytes) {
            return Optional.empty();
        }
        for (Occupant each : chosen.reversed().stream().toList()) {
            if (made - each.roomBytes() >= bytes) {
                chosen.remove(each);
                made -= each.roomBytes();
            }
        }
        return Optional.of(chosen);
    }

    /** When enough of those that are held are not any more; empty if that cannot be told. */
    private static @Nullable Instant pinsEnd(long lack, List<Occupant> others) {
        long made = 0;
        for (Occupant each :
                of(others, Kind.HELD).stream()
                        .sorted(
                                Comparator.comparing(
                                        Occupant::heldUntil,
                                        Comparator.nullsLast(Comparator.naturalOrder())))
                        .toList()) {
            made += each.roomBytes();
            if (made >= lack) {
                return each.heldUntil();
            }
        }
        return null;
    }

    private Room room(
            Admission admission,
            List<Occupant> victims,
            @Nullable Problem problem,
            @Nullable Instant notBefore) {
        return new Room(
                admission,
                neededBytes,
                takenBytes,
                capacityBytes,
                victims.stream().map(RoomRules::victim).toList(),
                problem,
                notBefore);
    }

    private static Victim victim(Occupant occupant) {
        return new Victim(
                occupant.version(),
                occupant.roomBytes(),
                occupant.uses(),
                occupant.refetchCost(),
                occupant.evictableAt());
    }

    private static List<Occupant> of(List<Occupant> others, Kind kind) {
        return others.stream().filter(each -> each.kind() == kind).toList();
    }

    private static long sum(List<Occupant> others, Kind kind) {
        return of(others, kind).stream().mapToLong(Occupant::roomBytes).sum();
    }
}
