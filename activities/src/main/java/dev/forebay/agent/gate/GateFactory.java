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

/** Creates the gates of a region and the keeper of pins, all with one control plane. */
public final class GateFactory {

    private final VersionRequester waiting;
    private final VersionRequester running;
    private final RegionName region;
    private final Duration lease;
    private final Duration interval;
    private final int atOnce;

    /**
     * Makes no requests.
     *
     * @param api the control plane's address
     * @param clients creates the HTTP client
     * @param lease the lease of the pins, which another part must renew
     * @param timeout the timeout of a request
     * @param interval the time between two requests for the same version
     * @param atOnce the number of Jobs for which each gate sends requests at once; all versions of
     *     a Job count once
     */
    public GateFactory(
            URI api,
            ServiceClients clients,
            RegionName region,
            Duration lease,
            Duration timeout,
            Duration interval,
            int atOnce) {
        this.waiting = requester(api, clients, region, "", lease, timeout);
        this.running = requester(api, clients, region, "run-", lease, timeout);
        this.region = region;
        this.lease = lease;
        this.interval = interval;
        this.atOnce = atOnce;
    }

    private static VersionRequester requester(
            URI api,
            ServiceClients clients,
            RegionName region,
            String purpose,
            Duration lease,
            Duration timeout) {
        return new BackoffVersionRequester(
                new ControlPlaneClient(api, clients, region, purpose, lease, timeout),
                System::nanoTime);
    }

    /** Returns the gate of pods. */
    public Gate of(Pods pods) {
        return new Gate(
                pods, waiting, region, PollScheduler.of(interval, atOnce, System::nanoTime));
    }

    /**
     * Returns the keeper of the pins of running pods.
     *
     * @param jobs not closed with it
     * @param pins returns the known pins of the region
     */
    public PinKeeper keeper(Pods pods, Jobs jobs, Supplier<List<Pin>> pins) {
        return new PinKeeper(
                pods,
                jobs,
                pins,
                running,
                lease,
                PollScheduler.of(interval, atOnce, System::nanoTime));
    }

    /** Returns the check of Kueue's Workloads. */
    public WarmCheck of(Workloads workloads) {
        return new WarmCheck(
                workloads, waiting, region, PollScheduler.of(interval, atOnce, System::nanoTime));
    }
}
