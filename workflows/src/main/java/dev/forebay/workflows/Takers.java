package dev.forebay.workflows;

import dev.forebay.workflows.message.PinGrant;
import dev.forebay.workflows.message.Taken;
import java.util.Collection;
import java.util.HashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.Predicate;
import java.util.stream.Collectors;

/** For whom pins were taken, as long as they have not given them back. */
final class Takers {

    private final Map<PinKey, Set<Taker>> of = new HashMap<>();

    /**
     * @param left what the run before has left
     */
    Takers(List<Taken> left) {
        for (Taken each : left) {
            of.put(
                    new PinKey(each.region(), each.pin()),
                    each.requests().stream()
                            .map(Taker::new)
                            .collect(Collectors.toCollection(LinkedHashSet::new)));
        }
    }

    /**
     * Somebody has taken a pin.
     *
     * @param there whether it is held already
     */
    void add(Taker taker, PinGrant pin, boolean there) {
        PinKey key = PinKey.of(pin);
        if (!there) {
            of.remove(key);
        }
        of.computeIfAbsent(
                        key,
                        _ ->
                                there
                                        ? new LinkedHashSet<>(Set.of(Taker.SOMEBODY))
                                        : new LinkedHashSet<>())
                .add(taker);
    }

    /** Whether he has taken it, and has not given it back. */
    boolean has(Taker taker, PinKey pin) {
        return of.getOrDefault(pin, Set.of()).contains(taker);
    }

    /** Whether nobody but him has taken it. */
    boolean hasAlone(Taker taker, PinKey pin) {
        return of.getOrDefault(pin, Set.of()).equals(Set.of(taker));
    }

    /** Somebody does not want it any more; whether he was the last. */
    boolean remove(Taker taker, PinGrant pin) {
        Set<Taker> left = of.get(PinKey.of(pin));
        if (left == null || !left.remove(taker) || !left.isEmpty()) {
            return false;
        }
        of.remove(PinKey.of(pin));
        return true;
    }

    /**
     * What the next run has to know: of a pin that somebody holds for good it is enough that
     * nothing is said.
     *
     * @param alive the pins that are believed alive
     * @param waits whether a request, by its id, is expected to ask the next run
     */
    List<Taken> left(Collection<PinGrant> alive, Predicate<String> waits) {
        return alive.stream()
                .map(PinKey::of)
                .filter(of::containsKey)
                .map(pin -> new Taken(pin.region(), pin.id(), requests(pin)))
                .filter(taken -> taken.requests().stream().allMatch(waits))
                .toList();
    }

    private List<String> requests(PinKey pin) {
        return of.getOrDefault(pin, Set.of()).stream().map(Taker::request).toList();
    }
}
