package dev.forebay.workflows.pin;

import dev.forebay.lifecycle.VersionEvent.PinEnded;
import dev.forebay.lifecycle.VersionEvent.PinRenewed;
import dev.forebay.model.RegionName;
import dev.forebay.workflows.Failures;
import dev.forebay.workflows.message.PinGrant;
import dev.forebay.workflows.state.Timeouts;
import dev.forebay.workflows.state.VersionState;
import dev.forebay.workflows.support.ActivityStubs;
import io.temporal.failure.ActivityFailure;
import io.temporal.workflow.Async;
import io.temporal.workflow.Workflow;
import java.time.Duration;
import java.time.Instant;
import java.util.Comparator;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import org.slf4j.Logger;

/**
 * Detects the ends of pins. Renewals do not pass through the workflow. When the first pin of a
 * region seems to have ended, or the region reports that some have, it asks the region for the
 * remaining lifetimes. Pins in the answer count as alive for that long, and the others have ended.
 * While the region does not answer, every pin counts as alive.
 */
public final class PinWatch {

    private static final Logger LOG = Workflow.getLogger(PinWatch.class);

    /** Bounds how fast the history grows when a lease is just about to end. */
    private static final Duration SHORTEST_WAIT = Duration.ofSeconds(1);

    private static final Duration PAUSE_AFTER_FAILURE = Duration.ofSeconds(30);

    private final VersionState state;
    private final Set<RegionName> followed = new LinkedHashSet<>();

    public PinWatch(VersionState state) {
        this.state = state;
    }

    /** Follows the pins of a region for as long as it has any. */
    public void follow(RegionName region) {
        if (!state.pins(region).isEmpty() && followed.add(region)) {
            var _ = Async.procedure(() -> followToTheLast(region));
        }
    }

    /** Asks the region now for the remaining lifetime of each pin. */
    public void check(RegionName region) {
        if (!state.pins(region).isEmpty()) {
            ask(region);
        }
    }

    private void followToTheLast(RegionName region) {
        Optional<Instant> next = nextExpiry(region);
        while (next.isPresent()) {
            Optional<Instant> awaited = next;
            boolean changed =
                    Timeouts.awaitUntil(awaited.get(), () -> !nextExpiry(region).equals(awaited));
            if (!changed) {
                ask(region);
            }
            next = nextExpiry(region);
        }
        followed.remove(region);
    }

    private void ask(RegionName region) {
        List<PinGrant> asked = state.pins(region);
        Map<String, Duration> alive;
        try {
            alive =
                    ActivityStubs.pin(state.version(), region, "read the pins")
                            .remaining(state.version(), asked.stream().map(PinGrant::id).toList());
        } catch (ActivityFailure failure) {
            LOG.warn(
                    "Cannot read the pins in {}, so they stay: {}",
                    region,
                    Failures.problem(failure));
            Workflow.sleep(PAUSE_AFTER_FAILURE);
            return;
        }
        Instant now = VersionState.now();
        for (PinGrant pin : asked) {
            if (!state.pin(region, pin.id()).equals(Optional.of(pin))) {
                continue; // taken again or released while the region answered
            }
            Duration left = alive.get(pin.id());
            state.apply(
                    left == null
                            ? new PinEnded(region, pin.id(), now)
                            : new PinRenewed(region, pin.id(), now.plus(atLeast(left))));
        }
    }

    private static Duration atLeast(Duration left) {
        return left.compareTo(SHORTEST_WAIT) < 0 ? SHORTEST_WAIT : left;
    }

    private Optional<Instant> nextExpiry(RegionName region) {
        return state.pins(region).stream().map(PinGrant::expiresAt).min(Comparator.naturalOrder());
    }
}
