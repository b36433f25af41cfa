package dev.forebay.service.space;

import dev.forebay.model.DatasetVersion;
import dev.forebay.service.space.EvictionCandidate.Kind;
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
 * Chooses the versions that a region evicts for space: the one policy of sweeps, admissions and
 * plans. It chooses {@link Kind#FREE} versions only. Versions that are leaving count as evicted.
 * Not thread-safe.
 *
 * <p>A shared chunk becomes free only with the last version that needs it. The class therefore
 * makes two choices in eviction order: by what each version frees alone, and by what the versions
 * free together. The second choice finds a whole family of related versions, if only that frees
 * enough. It can also break up a family although the next version frees as much alone. The choice
 * that loses less value wins. No victim is unnecessary: without any one of them the others free
 * less than was asked for, or less than the maximum if that is not enough.
 */
public final class VictimSelection {

    private final SharedBytes staying;
    private final List<EvictionCandidate> all;
    private final List<EvictionCandidate> inOrder;
    private final long leavingBytes;
    private final @Nullable EvictionCandidate nearest;
    private final Comparator<List<EvictionCandidate>> byLoss;

    /**
     * @param wanted the version that needs the space; null if no certain version does
     */
    public VictimSelection(UsedSpace taken, @Nullable DatasetVersion wanted) {
        this.staying = new SharedBytes(taken.shares());
        this.all = taken.versions();
        this.leavingBytes = remove(of(Kind.LEAVING));
        this.nearest = wanted == null ? null : nearest(wanted);
        Comparator<EvictionCandidate> sparedLast = Comparator.comparing(this::isNearest);
        this.inOrder =
                of(Kind.FREE).stream()
                        .sorted(sparedLast.thenComparing(EvictionCandidate.EVICTION_ORDER))
                        .toList();
        this.byLoss =
                Comparator.comparing(
                                (List<EvictionCandidate> each) ->
                                        each.stream().anyMatch(this::isNearest))
                        .thenComparing(
                                each -> !each.stream().allMatch(EvictionCandidate::isExpired))
                        .thenComparingDouble(VictimSelection::loss)
                        .thenComparingInt(List::size);
    }

    /**
     * A version to evict.
     *
     * @param bytes how many bytes become free, once the victims before it are gone
     */
    public record Victim(EvictionCandidate candidate, long bytes) {

        public DatasetVersion version() {
            return candidate.version();
        }
    }

    /**
     * The versions to evict.
     *
     * @param victims in the order of their eviction
     * @param shortBytes how many of the bytes are still missing then; 0 if enough become free
     */
    public record Selection(List<Victim> victims, long shortBytes) {}

    /** Returns how many bytes the evictions that run already free. */
    public long leavingBytes() {
        return leavingBytes;
    }

    /**
     * Chooses victims. If even all versions that may be evicted do not free enough, chooses those
     * that free anything.
     *
     * @param lackBytes how many bytes are to become free, including those of running evictions
     */
    public Selection select(long lackBytes) {
        long lack = Math.max(0, lackBytes - leavingBytes);
        long most = remove(inOrder);
        restore(inOrder);
        long bytes = Math.min(lack, most);
        List<EvictionCandidate> chosen =
                Stream.concat(eachByItself(bytes).stream(), Stream.of(together(bytes)))
                        .map(each -> needed(each, bytes))
                        .min(byLoss)
                        .orElseThrow();
        List<Victim> victims =
                chosen.stream()
                        .map(each -> new Victim(each, staying.remove(each.version())))
                        .toList();
        restore(chosen);
        return new Selection(victims, lack - bytes);
    }

    /**
     * Returns when enough pins have ended, so that their versions and those that can be evicted now
     * free enough. Returns null if the latter are enough, or that is not known.
     *
     * @param lackBytes as for {@link #select}
     */
    public @Nullable Instant pinsEnd(long lackBytes) {
        long made = leavingBytes + remove(inOrder);
        List<EvictionCandidate> held =
                of(Kind.HELD).stream()
                        .sorted(
                                Comparator.comparing(
                                        EvictionCandidate::heldUntil,
                                        Comparator.nullsLast(Comparator.naturalOrder())))
                        .toList();
        Instant end = null;
        for (int i = 0; made < lackBytes && i < held.size(); i++) {
            made += staying.remove(held.get(i).version());
            end = held.get(i).heldUntil();
        }
        restore(held);
        restore(inOrder);
        return made < lackBytes ? null : end;
    }

    /** Returns the number of versions of a kind. */
    int count(Kind kind) {
        return of(kind).size();
    }

    private List<EvictionCandidate> of(Kind kind) {
        return all.stream().filter(each -> each.kind() == kind).toList();
    }

    /**
     * Returns the unpinned version that shares most with the wanted one, if it shares more than its
     * eviction would free. Until the wanted version is mounted, only versions that have its chunks
     * protect them.
     */
    private @Nullable EvictionCandidate nearest(DatasetVersion wanted) {
        Map<DatasetVersion, Long> common = staying.common(wanted);
        return all.stream()
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

    private boolean isNearest(EvictionCandidate candidate) {
        return candidate.equals(nearest);
    }

    private Optional<List<EvictionCandidate>> eachByItself(long bytes) {
        List<EvictionCandidate> chosen = first(bytes, this::alone);
        long made = chosen.stream().mapToLong(this::alone).sum();
        if (made < bytes) {
            return Optional.empty();
        }
        // Counts only what each version frees alone, here too. With shared bytes, a whole family
        // would be enough, and the version after it would be dropped.
        for (int i = chosen.size() - 1; i >= 0; i--) {
            long less = alone(chosen.get(i));
            if (made - less >= bytes) {
                made -= less;
                chosen.remove(i);
            }
        }
        return Optional.of(chosen);
    }

    private List<EvictionCandidate> together(long bytes) {
        List<EvictionCandidate> chosen = first(bytes, each -> staying.remove(each.version()));
        restore(chosen);
        return chosen;
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
        List<EvictionCandidate> needed = new ArrayList<>(chosen);
        long made = remove(needed);
        for (int i = needed.size() - 1; i >= 0; i--) {
            EvictionCandidate each = needed.get(i);
            long less = staying.restore(each.version());
            if (made - less >= bytes) {
                made -= less;
                needed.remove(i);
            } else {
                staying.remove(each.version());
            }
        }
        restore(needed);
        return needed;
    }

    private long alone(EvictionCandidate candidate) {
        long bytes = staying.remove(candidate.version());
        staying.restore(candidate.version());
        return bytes;
    }

    private long remove(List<EvictionCandidate> leaving) {
        return leaving.stream().mapToLong(each -> staying.remove(each.version())).sum();
    }

    private void restore(List<EvictionCandidate> removed) {
        removed.forEach(each -> staying.restore(each.version()));
    }

    private static double loss(List<EvictionCandidate> victims) {
        return victims.stream().mapToDouble(each -> each.value().total()).sum();
    }
}
