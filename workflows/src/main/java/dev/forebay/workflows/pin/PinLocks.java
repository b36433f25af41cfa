package dev.forebay.workflows.pin;

import io.temporal.workflow.Workflow;
import java.util.HashMap;
import java.util.HashSet;
import java.util.Map;
import java.util.Set;

/**
 * A shared-exclusive lock for each pin. Several requests may take a pin at once, but only one may
 * end it, and not while another takes it. The region cannot know which of two concurrent calls was
 * meant to be the last.
 */
final class PinLocks {

    private final Map<PinKey, Integer> taking = new HashMap<>();
    private final Set<PinKey> ending = new HashSet<>();

    /** Blocks until no request ends the pin. */
    void beginTaking(PinKey pin) {
        Workflow.await(() -> !ending.contains(pin));
        taking.merge(pin, 1, Integer::sum);
    }

    void finishTaking(PinKey pin) {
        taking.computeIfPresent(pin, (_, several) -> several == 1 ? null : several - 1);
    }

    /** Blocks until no request takes the pin and no other request ends it. */
    void beginEnding(PinKey pin) {
        Workflow.await(() -> !taking.containsKey(pin) && !ending.contains(pin));
        ending.add(pin);
    }

    void finishEnding(PinKey pin) {
        ending.remove(pin);
    }
}
