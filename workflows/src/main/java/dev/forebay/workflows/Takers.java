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

/** The requests that took each pin and have not released it. */
final class Takers {

    private final Map<PinKey, Set<Taker>> of = new HashMap<>();

    /**
     * @param left what the previous run left
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
     * Records that a request has taken a pin.
     *
     * @param there whether the pin was held before
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

    /** Returns whether the request has taken the pin and not released it. */
    boolean has(Taker taker, PinKey pin) {
        return of.getOrDefault(pin, Set.of()).contains(taker);
    }

    /** Returns whether the request alone has taken the pin. */
    boolean hasAlone(Taker taker, PinKey pin) {
        return of.getOrDefault(pin, Set.of()).equals(Set.of(taker));
    }

    /** Removes a request from the takers of a pin. Returns whether it was the last one. */
    boolean remove(Taker taker, PinGrant pin) {
        Set<Taker> left = of.get(PinKey.of(pin));
        if (left == null || !left.remove(taker) || !left.isEmpty()) {
            return false;
        }
        of.remove(PinKey.of(pin));
        return true;
    }

    /**
     * Returns the pins that the next run may have to release. A pin with a holder that keeps it is
     * left out, so no later failure releases it.
     *
     * @param alive the pins that the workflow believes alive
     * @param waits whether the request with this id is expected to arrive in the next run
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
