package dev.forebay.workflows.pin;

import dev.forebay.workflows.input.ProvisionalPin;
import dev.forebay.workflows.message.PinGrant;
import java.util.Collection;
import java.util.HashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.Predicate;
import java.util.stream.Collectors;

/** The requests that took each pin and have not released it. */
final class PinRequesters {

    private final Map<PinKey, Set<PinRequester>> of = new HashMap<>();

    /**
     * @param left the pins that the previous run left, with their requests
     */
    PinRequesters(List<ProvisionalPin> left) {
        for (ProvisionalPin each : left) {
            of.put(
                    new PinKey(each.region(), each.pin()),
                    each.requests().stream()
                            .map(PinRequester::new)
                            .collect(Collectors.toCollection(LinkedHashSet::new)));
        }
    }

    /**
     * Records that a request has taken a pin.
     *
     * @param there whether the pin was held before
     */
    void add(PinRequester requester, PinGrant pin, boolean there) {
        PinKey key = PinKey.of(pin);
        if (!there) {
            of.remove(key);
        }
        of.computeIfAbsent(
                        key,
                        _ ->
                                there
                                        ? new LinkedHashSet<>(Set.of(PinRequester.NO_REQUEST))
                                        : new LinkedHashSet<>())
                .add(requester);
    }

    /** Returns whether the request has taken the pin and not released it. */
    boolean has(PinRequester requester, PinKey pin) {
        return of.getOrDefault(pin, Set.of()).contains(requester);
    }

    /** Returns whether the request alone has taken the pin. */
    boolean hasAlone(PinRequester requester, PinKey pin) {
        return of.getOrDefault(pin, Set.of()).equals(Set.of(requester));
    }

    /** Removes a request from the requesters of a pin. */
    void remove(PinRequester requester, PinKey pin) {
        of.computeIfPresent(
                pin,
                (_, requesters) -> {
                    requesters.remove(requester);
                    return requesters.isEmpty() ? null : requesters;
                });
    }

    /**
     * Returns the pins that the next run may have to release. A pin with a holder that keeps it is
     * left out, so no later failure releases it.
     *
     * @param alive the pins that the workflow believes alive
     * @param waits whether the request with this id is expected to arrive in the next run
     */
    List<ProvisionalPin> left(Collection<PinGrant> alive, Predicate<String> waits) {
        return alive.stream()
                .map(PinKey::of)
                .filter(of::containsKey)
                .map(pin -> new ProvisionalPin(pin.region(), pin.id(), requests(pin)))
                .filter(taken -> taken.requests().stream().allMatch(waits))
                .toList();
    }

    private List<String> requests(PinKey pin) {
        return of.getOrDefault(pin, Set.of()).stream().map(PinRequester::request).toList();
    }
}
