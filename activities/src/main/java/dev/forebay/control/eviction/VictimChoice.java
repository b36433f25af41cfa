package dev.forebay.control.eviction;

import dev.forebay.control.eviction.EvictionCandidate.Kind;
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
 * Chooses the victims that make space for a version, from the unpinned ones. Not thread-safe.
 *
 * <p>A shared chunk becomes free only with the last version that needs it. The class therefore
 * makes two choices in eviction order: by what each version frees alone, and by what the versions
 * free together. The second choice finds a whole family of related versions, if only that frees
 * enough. It can also break up a family although the next version frees as much alone. The choice
 * that loses less wins.
 */
public final class VictimChoice {

    private final SharedBytes staying;
    private final List<EvictionCandidate> inOrder;
    private final @Nullable EvictionCandidate nearest;
    private final Comparator<List<EvictionCandidate>> byLoss;

    /**
     * @param others all versions that take capacity
     * @param staying the shares of the versions that stay, without those that leave anyway. Every
     *     call restores it
     */
    public VictimChoice(
            DatasetVersion wanted,
            List<EvictionCandidate> others,
            SharedBytes staying,
            Instant now) {
        this.staying = staying;
        this.nearest = nearest(wanted, others);
        Comparator<EvictionCandidate> sparedLast = Comparator.comparing(this::isNearest);
        this.inOrder =
                others.stream()
                        .filter(each -> each.kind() == Kind.FREE)
                        .sorted(sparedLast.thenComparing(EvictionCandidate.leavingOrder(now)))
                        .toList();
        this.byLoss =
                Comparator.comparing(
                                (List<EvictionCandidate> each) ->
                                        each.stream().anyMatch(this::isNearest))
                        .thenComparing(each -> !each.stream().allMatch(one -> one.isExpired(now)))
                        .thenComparingDouble(VictimChoice::loss)
                        .thenComparingInt(List::size);
    }

    /**
     * Returns the unpinned version that shares most with the wanted one, if it shares more than its
     * eviction would free. Until the wanted version is mounted, only versions that have its chunks
     * protect them.
     */
    private @Nullable EvictionCandidate nearest(
            DatasetVersion wanted, List<EvictionCandidate> others) {
        Map<DatasetVersion, Long> common = staying.common(wanted);
        return others.stream()
                .filter(each -> each.kind() != Kind.LEAVING)
                .max(
                        Comparator.comparingLong(
                                        (EvictionCandidate each) ->
                                                common.getOrDefault(each.version(), 0L))
                                .thenComparing(each -> each.kind() != Kind.FREE))
                .filter(each -> each.kind() == Kind.FREE)
                .filter(each -> common.getOrDefault(each.version(), 0L) > alone(each))
                .orElse(null);
    }

    private boolean isNearest(EvictionCandidate occupant) {
        return occupant.equals(nearest);
    }

    /**
     * Returns versions whose eviction frees {@code bytes}, without any unnecessary one; empty if
     * all of them do not free enough.
     */
    public Optional<List<EvictionCandidate>> enough(long bytes) {
        return Stream.of(eachByItself(bytes), together(bytes))
                .flatMap(Optional::stream)
                .map(chosen -> needed(chosen, bytes))
                .min(byLoss);
    }

    private Optional<List<EvictionCandidate>> eachByItself(long bytes) {
        List<EvictionCandidate> chosen = first(bytes, this::alone);
        long made = chosen.stream().mapToLong(this::alone).sum();
        if (made < bytes) {
            return Optional.empty();
        }
        // Counts only what each version frees alone, here too. With shared bytes, a whole family
        // would be enough, and the version after it would be dropped.
        for (EvictionCandidate each : List.copyOf(chosen).reversed()) {
            if (made - alone(each) >= bytes) {
                made -= alone(each);
                chosen.remove(each);
            }
        }
        return Optional.of(chosen);
    }

    private Optional<List<EvictionCandidate>> together(long bytes) {
        List<EvictionCandidate> chosen = first(bytes, each -> staying.remove(each.version()));
        long made = chosen.stream().mapToLong(each -> staying.restore(each.version())).sum();
        return made < bytes ? Optional.empty() : Optional.of(chosen);
    }

    /** Returns the first versions that free {@code bytes}, or all of them. */
    private List<EvictionCandidate> first(long bytes, ToLongFunction<EvictionCandidate> gives) {
        List<EvictionCandidate> chosen = new ArrayList<>();
        long made = 0;
        for (EvictionCandidate each : inOrder) {
            if (made >= bytes) {
                break;
            }
            chosen.add(each);
            made += gives.applyAsLong(each);
        }
        return chosen;
    }

    /** Drops versions that are not necessary. Checks the most valuable ones first. */
    private List<EvictionCandidate> needed(List<EvictionCandidate> chosen, long bytes) {
        long made = chosen.stream().mapToLong(each -> staying.remove(each.version())).sum();
        List<EvictionCandidate> needed = new ArrayList<>(chosen);
        for (EvictionCandidate each : chosen.reversed()) {
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

    private long alone(EvictionCandidate occupant) {
        long bytes = staying.remove(occupant.version());
        staying.restore(occupant.version());
        return bytes;
    }

    private static double loss(List<EvictionCandidate> victims) {
        return victims.stream().mapToDouble(each -> each.worth() * each.roomBytes()).sum();
    }
}
