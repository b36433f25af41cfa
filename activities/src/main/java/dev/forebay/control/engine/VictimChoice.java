package dev.forebay.control.engine;

import dev.forebay.control.engine.Occupant.Kind;
import dev.forebay.control.sweep.Shares;
import dev.forebay.model.DatasetVersion;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.ToLongFunction;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * Who goes, of those that nobody holds, to make room for one that is wanted. For one thread.
 *
 * <p>What several share comes back with the last of them. So there are two ways to choose: the
 * first in the leaving order that give enough back each by itself, and the first that do together.
 * The second one is needed where only a whole family makes the room; but it would also take a
 * family apart where one that has as much to itself comes next. Of the two the one that loses less
 * is taken.
 */
final class VictimChoice {

    private final Shares staying;
    private final List<Occupant> inOrder;
    private final @Nullable Occupant nearest;
    private final Comparator<List<Occupant>> byLoss;

    /**
     * @param others all that take room
     * @param staying what they share, those already taken away that leave anyway; it is the same
     *     again after each call
     */
    VictimChoice(DatasetVersion wanted, List<Occupant> others, Shares staying, Instant now) {
        this.staying = staying;
        this.nearest = nearest(wanted, others);
        Comparator<Occupant> sparedLast = Comparator.comparing(this::isNearest);
        this.inOrder =
                others.stream()
                        .filter(each -> each.kind() == Kind.FREE)
                        .sorted(sparedLast.thenComparing(Occupant.leavingOrder(now)))
                        .toList();
        this.byLoss =
                Comparator.comparing(
                                (List<Occupant> each) -> each.stream().anyMatch(this::isNearest))
                        .thenComparing(each -> !each.stream().allMatch(one -> one.isExpired(now)))
                        .thenComparingDouble(VictimChoice::loss)
                        .thenComparingInt(List::size);
    }

    /**
     * The relative that has most of what is wanted, if nobody holds it, and if its going would cost
     * the wanted one more than it gives back: until that one is mounted nothing keeps what it needs
     * but those that have it already.
     */
    private @Nullable Occupant nearest(DatasetVersion wanted, List<Occupant> others) {
        Map<DatasetVersion, Long> common = staying.common(wanted);
        return others.stream()
                .filter(each -> each.kind() != Kind.LEAVING)
                .max(
                        Comparator.comparingLong(
                                        (Occupant each) -> common.getOrDefault(each.version(), 0L))
                                .thenComparing(each -> each.kind() != Kind.FREE))
                .filter(each -> each.kind() == Kind.FREE)
                .filter(each -> common.getOrDefault(each.version(), 0L) > alone(each))
                .orElse(null);
    }

    private boolean isNearest(Occupant occupant) {
        return occupant.equals(nearest);
    }

    /** Those that give so much back, and nobody who need not go; empty if all are not enough. */
    Optional<List<Occupant>> enough(long bytes) {
        return Stream.of(eachByItself(bytes), together(bytes))
                .flatMap(Optional::stream)
                .map(chosen -> needed(chosen, bytes))
                .min(byLoss);
    }

    private Optional<List<Occupant>> eachByItself(long bytes) {
        List<Occupant> chosen = first(bytes, this::alone);
        long made = chosen.stream().mapToLong(this::alone).sum();
        if (made < bytes) {
            return Optional.empty();
        }
        // What they have in common is left out of account here, too: else it would be enough that
        // a whole family goes, and the one after it could stay.
        for (Occupant each : List.copyOf(chosen).reversed()) {
            if (made - alone(each) >= bytes) {
                made -= alone(each);
                chosen.remove(each);
            }
        }
        return Optional.of(chosen);
    }

    private Optional<List<Occupant>> together(long bytes) {
        List<Occupant> chosen = first(bytes, each -> staying.remove(each.version()));
        long made = chosen.stream().mapToLong(each -> staying.restore(each.version())).sum();
        return made < bytes ? Optional.empty() : Optional.of(chosen);
    }

    /** The first that give so much, or all. */
    private List<Occupant> first(long bytes, ToLongFunction<Occupant> gives) {
        List<Occupant> chosen = new ArrayList<>();
        long made = 0;
        for (Occupant each : inOrder) {
            if (made >= bytes) {
                break;
            }
            chosen.add(each);
            made += gives.applyAsLong(each);
        }
        return chosen;
    }

    /** Those of them without whom it would not be enough; who is dearest is looked at first. */
    private List<Occupant> needed(List<Occupant> chosen, long bytes) {
        long made = chosen.stream().mapToLong(each -> staying.remove(each.version())).sum();
        List<Occupant> needed = new ArrayList<>(chosen);
        for (Occupant each : chosen.reversed()) {
            long less = staying.restore(each.version());
            if (made - less >= bytes) {
                made -= less;
                needed.remove(each);
            } else {
                staying.remove(each.version());
            }
        }
        needed.forEach(each -> staying.restore(each.version()));
        return needed;
    }

    private long alone(Occupant occupant) {
        long bytes = staying.remove(occupant.version());
        staying.restore(occupant.version());
        return bytes;
    }

    private static double loss(List<Occupant> victims) {
        return victims.stream().mapToDouble(each -> each.worth() * each.roomBytes()).sum();
    }
}
