package dev.forebay.agent.kubernetes;

import dev.forebay.agent.admission.AdmissionServer;
import dev.forebay.agent.admission.NodePreference;
import dev.forebay.agent.admission.PodChange;
import dev.forebay.agent.admission.WebhookKeyRenewal;
import dev.forebay.agent.config.AgentConfig;
import dev.forebay.agent.gate.Gate;
import dev.forebay.agent.gate.GateFactory;
import dev.forebay.agent.gate.PinKeeper;
import dev.forebay.agent.jobs.Cluster;
import dev.forebay.agent.jobs.Pods;
import dev.forebay.agent.jobs.WarmLabels;
import dev.forebay.agent.jobs.WebhookRegistration;
import dev.forebay.membership.RegionState;
import dev.forebay.model.ErrorCode;
import dev.forebay.model.ForebayException;
import dev.forebay.model.RegionName;
import dev.forebay.service.Workspace;
import dev.forebay.thread.PeriodicTask;
import io.micrometer.core.instrument.Gauge;
import io.micrometer.core.instrument.MeterRegistry;
import io.vertx.core.Vertx;
import jakarta.inject.Singleton;
import java.time.Duration;
import java.util.Optional;

/**
 * Serves training pods that name a version with an annotation. It runs the webhook that changes
 * them at creation, the gate at which they wait, and the renewal of their pins while they run.
 */
@Singleton
public class TrainingPods implements AutoCloseable {

    private static final Duration TICK = Duration.ofSeconds(1);

    private final AdmissionServer server;
    private final Pods pods;
    private final PeriodicTask keeping;
    private final PeriodicTask gating;
    private final PeriodicTask pinning;

    /** Makes no requests. */
    TrainingPods(
            AgentConfig config,
            RegionName region,
            RegionState state,
            Cluster cluster,
            GateFactory gates,
            Workspace workspace,
            Vertx vertx,
            MeterRegistry registry) {
        AgentConfig.Admission admission = config.admission();
        if (admission.mountedSign().filter(sign -> !sign.startsWith("/")).isPresent()) {
            throw invalid(
                    "forebay.admission.mounted-sign '%s' must be an absolute path"
                            .formatted(admission.mountedSign().get()));
        }
        WebhookRegistration registration =
                cluster.registration(
                        required("forebay.admission.namespace", admission.namespace()),
                        required("forebay.admission.secret", admission.secret()),
                        required("forebay.admission.configuration", admission.configuration()));
        server =
                new AdmissionServer(
                        vertx,
                        admission.host(),
                        admission.port(),
                        admission.requestBytes().asLongValue(),
                        new PodChange(
                                config.mountRoot(),
                                admission.mountedSign(),
                                admission.nodes(),
                                preference(config.nodeLabels(), region)));
        WebhookKeyRenewal keeper =
                WebhookKeyRenewal.of(
                        registration,
                        workspace,
                        server,
                        required("forebay.admission.name", admission.name()),
                        admission.certificateLife());
        Gauge.builder(
                        "forebay.agent.webhook.certificate.left.seconds",
                        keeper,
                        WebhookKeyRenewal::secondsLeft)
                .description("Remaining validity of the webhook's certificate")
                .register(registry);
        keeping = ReconcileTasks.of("update of the webhook", admission.interval(), keeper::check);
        pods = cluster.pods();
        Gate barrier = gates.of(pods);
        gating = ReconcileTasks.of("check of gated pods", TICK, barrier::check);
        Gauge.builder("forebay.agent.gated.pods", barrier, Gate::waiting)
                .description("Pods whose scheduling gate waits for a version")
                .register(registry);
        PinKeeper pinKeeper =
                gates.keeper(
                        pods,
                        cluster.jobs(true, config.kueue().enabled()),
                        () -> state.view().pins());
        pinning =
                ReconcileTasks.of(
                        "renewal of training pins", config.jobs().interval(), pinKeeper::check);
        Gauge.builder("forebay.agent.unpinned.gangs", pinKeeper, PinKeeper::lacking)
                .description("Gangs of pods that run without their pin")
                .register(registry);
    }

    private static Optional<NodePreference> preference(
            AgentConfig.NodeLabels labels, RegionName region) {
        return labels.enabled()
                ? Optional.of(new NodePreference(new WarmLabels(region), labels.weight()))
                : Optional.empty();
    }

    private static <T> T required(String property, Optional<T> value) {
        return value.orElseThrow(() -> invalid(property + " is missing"));
    }

    private static ForebayException invalid(String what) {
        return new ForebayException(ErrorCode.INVALID_ARGUMENT, what);
    }

    public void start() {
        pods.follow();
        keeping.start();
        gating.start();
        pinning.start();
    }

    /** Returns whether the webhook listens. */
    boolean areAdmitted() {
        return server.port().isPresent();
    }

    @Override
    public void close() {
        keeping.close();
        gating.close();
        pinning.close();
        server.close();
        pods.close();
    }
}
