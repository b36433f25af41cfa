package dev.forebay.agent.kubernetes;

import dev.forebay.agent.config.AgentConfig;
import dev.forebay.agent.gate.GateFactory;
import dev.forebay.model.ErrorCode;
import dev.forebay.model.ForebayException;
import dev.forebay.model.RegionName;
import dev.forebay.model.Seconds;
import dev.forebay.service.api.ServiceClients;
import jakarta.enterprise.inject.Produces;
import jakarta.inject.Singleton;
import java.time.Duration;

/** Produces the gates for training pods, if the webhook or Kueue's check is enabled. */
@Singleton
class GateResources {

    /** The limit for all pins. */
    private static final Duration LONGEST_LEASE = Duration.ofDays(7);

    @Produces
    @Singleton
    GateFactory gates(AgentConfig config, RegionName region, ServiceClients clients) {
        requireUsable(config);
        AgentConfig.Gate gate = config.gate();
        return new GateFactory(
                gate.api().orElseThrow(() -> invalid("forebay.gate.api is missing")),
                clients,
                region,
                gate.lease(),
                gate.timeout(),
                gate.interval(),
                gate.concurrency());
    }

    private static void requireUsable(AgentConfig config) {
        if (!config.jobs().watch()) {
            throw invalid(
                    "forebay.admission.enabled and forebay.kueue.enabled need "
                            + "forebay.jobs.watch, so that pins end with their Jobs");
        }
        Duration lease = config.gate().lease();
        Duration interval = config.jobs().interval();
        if (lease.compareTo(interval.multipliedBy(3)) < 0 || lease.compareTo(LONGEST_LEASE) > 0) {
            throw invalid(
                    "forebay.gate.lease is %s and must be at least three times forebay.jobs.interval, %s, and at most 7 days"
                            .formatted(Seconds.of(lease), Seconds.of(interval)));
        }
    }

    private static ForebayException invalid(String what) {
        return new ForebayException(ErrorCode.INVALID_ARGUMENT, what);
    }
}
