package dev.forebay.workflows;

import io.temporal.workflow.Workflow;
import java.util.HashMap;
import java.util.HashSet;
import java.util.Map;
import java.util.Set;

/**
 * Whose turn it is with a pin: several may take it at once, but whoever ends it is alone. The
 * region does not know which of two that come at once was meant to be the last.
 */
final class PinTurns {

    private final Map<PinKey, Integer> taking = new HashMap<>();
    private final Set<PinKey> ending = new HashSet<>();

    /** Blocks until nobody ends the pin. */
    void beginTaking(PinKey pin) {
        Workflow.await(() -> !ending.contains(pin));
        taking.merge(pin, 1, Integer::sum);
    }

    void finishTaking(PinKey pin) {
        taking.computeIfPresent(pin, (_, several) -> several == 1 ? null : several - 1);
    }

    /** Blocks until nobody takes the pin, and nobody else ends it. */
    void beginEnding(PinKey pin) {
        Workflow.await(() -> !taking.containsKey(pin) && !ending.contains(pin));
        ending.add(pin);
    }

    void finishEnding(PinKey pin) {
        ending.remove(pin);
    }
}
