package dev.forebay.control.pins;

import dev.forebay.control.catalogue.PinCatalogue;
import dev.forebay.control.regions.Regions;
import dev.forebay.control.temporal.TemporalCalls;
import dev.forebay.control.temporal.TemporalCalls.NoSuchRunException;
import dev.forebay.control.temporal.VersionWorkflows;
import dev.forebay.lifecycle.Lifecycle;
import dev.forebay.model.DatasetVersion;
import dev.forebay.model.ForebayException;
import dev.forebay.model.RegionName;
import dev.forebay.service.ServiceConfig;
import dev.forebay.service.gateway.PinsReport.Held;
import dev.forebay.workflows.message.PinGrant;
import dev.forebay.workflows.message.VersionStatus;
import jakarta.inject.Singleton;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.function.Predicate;

/**
 * Finds pins that protect a version although their owner seems to be gone. Each pin ends one lease
 * after its last renewal. The audit shows whom to ask, or which pin to release, before that.
 *
 * <p>Uses the durations of leases in the region's etcd, so it compares no clocks. Thread-safe.
 */
@Singleton
public class PinAudit {

    private final Regions regions;
    private final PinCatalogue catalogue;
    private final VersionWorkflows workflows;
    private final TemporalCalls temporal;
    private final Duration timeout;

    PinAudit(
            Regions regions,
            PinCatalogue catalogue,
            VersionWorkflows workflows,
            TemporalCalls temporal,
            ServiceConfig service) {
        this.regions = regions;
        this.catalogue = catalogue;
        this.workflows = workflows;
        this.temporal = temporal;
        this.timeout = service.temporal().queryTimeout();
    }

    /** Why a pin seems to be leaked. */
    public enum Leak {
        /**
         * The version's workflow does not know the pin: it was lost with Temporal or the catalogue.
         */
        UNKNOWN,
        /**
         * The owner renewed the pin before, but not for half of its lease. Owners renew after each
         * third of the lease.
         */
        NOT_RENEWED
    }

    /** A pin that seems to be leaked. */
    public record Leaked(DatasetVersion version, PinGrant pin, Leak leak, String message) {}

    /**
     * Returns the pins of a region that seem to be leaked.
     *
     * @throws ForebayException {@code UNAVAILABLE} if the region does not answer
     */
    public List<Leaked> leaked(RegionName region) {
        Instant now = Instant.now();
        List<Held> held = regions.pins(region).pins();
        Map<DatasetVersion, Set<String>> known = catalogue.ids(region);
        Map<DatasetVersion, Predicate<String>> asked = new HashMap<>();
        List<Leaked> leaked = new ArrayList<>();
        for (Held pin : held) {
            boolean isKnown =
                    known.getOrDefault(pin.version(), Set.of()).contains(pin.id())
                            || asked.computeIfAbsent(pin.version(), each -> ask(each, region))
                                    .test(pin.id());
            leak(pin, isKnown).ifPresent(leak -> leaked.add(leaked(pin, region, leak, now)));
        }
        return leaked;
    }

    private static Optional<Leak> leak(Held held, boolean isKnown) {
        if (!isKnown) {
            return Optional.of(Leak.UNKNOWN);
        }
        // A pin that was never renewed has a fixed term.
        return held.renewed() && 2 * held.remainingSeconds() < held.leaseSeconds()
                ? Optional.of(Leak.NOT_RENEWED)
                : Optional.empty();
    }

    private static Leaked leaked(Held held, RegionName region, Leak leak, Instant now) {
        String message =
                switch (leak) {
                    case UNKNOWN ->
                            "the workflow of %s does not know this pin, which ends in %d s unless its owner renews it (docs/operations.md, Eviction is refused with PINNED)"
                                    .formatted(held.version(), held.remainingSeconds());
                    case NOT_RENEWED ->
                            "not renewed for %d s of its lease of %d s, although its owner renewed it before: it ends in %d s, or at once with 'forebay unpin %s %s --region %s'"
                                    .formatted(
                                            held.leaseSeconds() - held.remainingSeconds(),
                                            held.leaseSeconds(),
                                            held.remainingSeconds(),
                                            held.version(),
                                            held.id(),
                                            region);
                };
        return new Leaked(
                held.version(),
                new PinGrant(
                        region,
                        held.id(),
                        held.holder(),
                        held.reason(),
                        now.plusSeconds(held.remainingSeconds()),
                        held.job()),
                leak,
                message);
    }

    /**
     * Asks the workflow, because the catalogue may be outdated. Counts every pin as known if the
     * workflow does not answer.
     */
    private Predicate<String> ask(DatasetVersion version, RegionName region) {
        try {
            VersionStatus status = temporal.call(timeout, () -> workflows.status(version));
            return id -> Lifecycle.pin(status, region, id).isPresent();
        } catch (NoSuchRunException never) {
            return _ -> false;
        } catch (ForebayException unanswered) {
            return _ -> true;
        }
    }
}
