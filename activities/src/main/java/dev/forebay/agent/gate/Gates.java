package dev.forebay.agent.gate;

import dev.forebay.agent.jobs.Jobs;
import dev.forebay.agent.jobs.Pods;
import dev.forebay.agent.jobs.Workloads;
import dev.forebay.membership.Pin;
import dev.forebay.model.RegionName;
import dev.forebay.service.api.ServiceClients;
import java.net.URI;
import java.time.Duration;
import java.util.List;
import java.util.function.Supplier;

/**
 * All that holds training back in a region until versions are warm, and versions while it runs,
 * before one control plane.
 */
public final class Gates {

    private final Platform waiting;
    private final Platform running;
    private final RegionName region;
    private final Duration lease;
    private final Duration interval;
    private final int atOnce;

    /**
     * Asks nobody.
     *
     * @param api the control plane's address
     * @param clients how it is spoken to
     * @param lease of the pins, which somebody must renew
     * @param timeout of a question
     * @param interval between two questions for the same
     * @param atOnce for how many Jobs each asks at once; of one, for all versions
     */
    public Gates(
            URI api,
            ServiceClients clients,
            RegionName region,
            Duration lease,
            Duration timeout,
            Duration interval,
            int atOnce) {
        this.waiting = platform(api, clients, region, "", lease, timeout);
        this.running = platform(api, clients, region, "run-", lease, timeout);
        this.region = region;
        this.lease = lease;
        this.interval = interval;
        this.atOnce = atOnce;
    }

    private static Platform platform(
            URI api,
            ServiceClients clients,
            RegionName region,
            String purpose,
            Duration lease,
            Duration timeout) {
        return new SparingPlatform(
                new ControlPlane(api, clients, region, purpose, lease, timeout), System::nanoTime);
    }

    /** That of pods. */
    public Gate of(Pods pods) {
        return new Gate(pods, waiting, region, Turns.of(interval, atOnce, System::nanoTime));
    }

    /**
     * What keeps the pins of pods that run.
     *
     * @param jobs not closed with it
     * @param pins those of the region, as far as is known
     */
    public PinKeeper keeper(Pods pods, Jobs jobs, Supplier<List<Pin>> pins) {
        return new PinKeeper(
                pods, jobs, pins, running, lease, Turns.of(interval, atOnce, System::nanoTime));
    }

    /** That of Workloads, which is Kueue's. */
    public WarmCheck of(Workloads workloads) {
        return new WarmCheck(
                workloads, waiting, region, Turns.of(interval, atOnce, System::nanoTime));
    }
}
