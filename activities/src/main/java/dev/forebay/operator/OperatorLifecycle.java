package dev.forebay.operator;

import com.fasterxml.jackson.databind.ObjectMapper;
import dev.forebay.model.ErrorCode;
import dev.forebay.model.ForebayException;
import dev.forebay.model.Seconds;
import dev.forebay.service.Role;
import dev.forebay.service.ServiceConfig;
import dev.forebay.service.api.ForebayApi;
import dev.forebay.service.api.ServiceClients;
import dev.forebay.settings.SettingsCheck;
import dev.forebay.settings.Startup;
import io.fabric8.kubernetes.client.KubernetesClient;
import io.micrometer.core.instrument.Gauge;
import io.micrometer.core.instrument.MeterRegistry;
import io.quarkus.runtime.ShutdownEvent;
import io.quarkus.runtime.StartupEvent;
import jakarta.enterprise.event.Observes;
import jakarta.enterprise.inject.Instance;
import jakarta.inject.Singleton;
import java.time.Clock;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.Objects;
import java.util.Set;
import java.util.UUID;

/** Starts and stops the operator of Datasets in a control plane that is configured for it. */
@Singleton
class OperatorLifecycle {

    private static final String LEADER = "forebay.control.dataset.resource.leader";

    /** The progress of a fill causes no event, so it must be polled. */
    private static final Duration PROGRESS_INTERVAL = Duration.ofSeconds(5);

    /** How often a pin is renewed within its lease. */
    private static final int RENEWALS_PER_LEASE = 3;

    private final ServiceConfig service;
    private final OperatorConfig config;
    private final ServiceClients clients;
    private final ObjectMapper json;
    private final Instance<KubernetesClient> kubernetes;
    private final MeterRegistry registry;
    private final Deque<Runnable> endings = new ArrayDeque<>();

    OperatorLifecycle(
            ServiceConfig service,
            OperatorConfig config,
            ServiceClients clients,
            ObjectMapper json,
            Instance<KubernetesClient> kubernetes,
            MeterRegistry registry) {
        this.service = service;
        this.config = config;
        this.clients = clients;
        this.json = json;
        this.kubernetes = kubernetes;
        this.registry = registry;
    }

    void start(@Observes StartupEvent event) {
        if (service.role() == Role.CONTROL_PLANE && config.watch()) {
            Startup.run(this::start);
        }
    }

    private void start() {
        check(config, service.tls().certificate().isPresent());
        ForebayApi api =
                new ForebayApi(
                        config.api(), "forebay.datasets.api", clients, config.timeout(), json);
        endings.push(api::close);
        KubernetesClient client = kubernetes.get();
        String replica =
                Objects.requireNonNullElse(System.getenv("HOSTNAME"), "control-plane")
                        + "-"
                        + UUID.randomUUID().toString().substring(0, 8);
        PlanSteps steps = new PlanSteps(api, config.lease());
        Election election =
                new Election(
                        client,
                        Objects.requireNonNullElse(client.getNamespace(), "default"),
                        replica,
                        () -> lead(client, replica, steps));
        endings.push(election::close);
        Gauge.builder(LEADER, election, it -> it.isLeading() ? 1 : 0)
                .description("1 if this replica reconciles Datasets")
                .register(registry);
        election.start();
    }

    /** Begins to reconcile Datasets. Returns how to end that. */
    private Runnable lead(KubernetesClient client, String replica, PlanSteps steps) {
        Duration interval = config.interval();
        DatasetReconciler reconciler =
                new DatasetReconciler(
                        new DatasetClient(client, replica),
                        steps,
                        config.releaseTimeout(),
                        interval.compareTo(PROGRESS_INTERVAL) < 0 ? interval : PROGRESS_INTERVAL,
                        Clock.systemUTC(),
                        registry);
        LeaderTerm term = new LeaderTerm(client, reconciler, interval, config.concurrency());
        return term::close;
    }

    void stop(@Observes ShutdownEvent event) {
        while (!endings.isEmpty()) {
            endings.pop().run();
        }
    }

    /**
     * Refuses invalid settings.
     *
     * @param encrypted whether this process speaks TLS
     * @throws ForebayException {@code INVALID_ARGUMENT}, naming the setting, its value and the rule
     */
    static void check(OperatorConfig config, boolean encrypted) {
        SettingsCheck.check(config);
        require(
                Set.of("http", "https").contains(String.valueOf(config.api().getScheme()))
                        && config.api().getHost() != null,
                "api",
                config.api(),
                "http://host:port or https://host:port");
        require(
                !encrypted || config.api().getScheme().equals("https"),
                "api",
                config.api(),
                "https, with a name of the certificate, because this control plane uses TLS");
        require(
                config.lease().compareTo(config.interval().multipliedBy(RENEWALS_PER_LEASE)) >= 0,
                "lease",
                Seconds.of(config.lease()),
                "at least three times forebay.datasets.interval, " + Seconds.of(config.interval()));
    }

    private static void require(boolean met, String setting, Object value, String rule) {
        if (!met) {
            throw new ForebayException(
                    ErrorCode.INVALID_ARGUMENT,
                    "forebay.datasets.%s is %s: it must be %s".formatted(setting, value, rule));
        }
    }
}
