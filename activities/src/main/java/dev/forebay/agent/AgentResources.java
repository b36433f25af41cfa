package dev.forebay.agent;

import dev.forebay.agent.capacity.RecentCapacity;
import dev.forebay.agent.config.AgentConfig;
import dev.forebay.agent.fill.FillRate;
import dev.forebay.agent.jobs.Cluster;
import dev.forebay.agent.jobs.PinOwner;
import dev.forebay.agent.jobs.WarmLabels;
import dev.forebay.agent.kubernetes.NodeLabels;
import dev.forebay.agent.pins.JobPins;
import dev.forebay.agent.repair.PinnedVersionRepair;
import dev.forebay.agent.repair.RepairSchedule;
import dev.forebay.agent.workers.AbsentWorkers;
import dev.forebay.agent.workers.EtcdWorkers;
import dev.forebay.agent.workers.MeteredWorkers;
import dev.forebay.agent.workers.Workers;
import dev.forebay.manifest.cache.ManifestCache;
import dev.forebay.membership.RegionState;
import dev.forebay.membership.etcd.EtcdConfig;
import dev.forebay.membership.etcd.EtcdRegionState;
import dev.forebay.model.ErrorCode;
import dev.forebay.model.ForebayException;
import dev.forebay.model.RegionName;
import dev.forebay.service.temporal.VersionSignals;
import dev.forebay.tls.TlsSettings;
import dev.forebay.transfer.BearerToken;
import dev.forebay.transfer.WorkerAuthorities;
import dev.forebay.transfer.WorkerClient;
import dev.forebay.transfer.WorkerClientConfig;
import io.micrometer.core.instrument.Counter;
import io.micrometer.core.instrument.Gauge;
import io.micrometer.core.instrument.MeterRegistry;
import jakarta.enterprise.inject.Disposes;
import jakarta.enterprise.inject.Produces;
import jakarta.inject.Singleton;
import java.util.Optional;

/**
 * Produces the beans that an agent needs for its region. Processes in another role create none of
 * them.
 */
@Singleton
class AgentResources {

    @Produces
    @Singleton
    RegionName region(AgentConfig config) {
        String name =
                config.region()
                        .orElseThrow(
                                () -> missing("forebay.region must name the region of this agent"));
        return new RegionName(name);
    }

    @Produces
    @Singleton
    RegionState state(AgentConfig config, RegionName region) {
        return EtcdRegionState.connect(etcd(config.etcd()), region);
    }

    private static EtcdConfig etcd(AgentConfig.Etcd etcd) {
        AgentConfig.EtcdTls tls = etcd.tls();
        return EtcdConfig.of(
                "forebay.etcd.endpoints",
                etcd.endpoints()
                        .orElseThrow(
                                () ->
                                        missing(
                                                "forebay.etcd.endpoints must list the region's etcd")),
                new TlsSettings("forebay.etcd.tls.", tls.ca(), tls.certificate(), tls.key()));
    }

    void close(@Disposes RegionState state) {
        state.close();
    }

    @Produces
    @Singleton
    WorkerClient workers(AgentConfig config, Optional<BearerToken> token) {
        Optional<WorkerAuthorities> authorities =
                config.workerCa().map(file -> WorkerAuthorities.read("forebay.worker-ca", file));
        return new WorkerClient(
                WorkerClientConfig.defaults()
                        .withToken(token)
                        .withAuthorities(authorities)
                        .withReadTimeouts(config.gateway().timeout(), config.gateway().firstByte())
                        .forWorker());
    }

    @Produces
    @Singleton
    FillRate rate() {
        return new FillRate(System::nanoTime);
    }

    @Produces
    @Singleton
    RecentCapacity capacity(AgentConfig config, RegionState state) {
        RecentCapacity capacity = new RecentCapacity(config.workersRemembered(), System::nanoTime);
        state.onChange(capacity::changed);
        return capacity;
    }

    @Produces
    @Singleton
    AbsentWorkers absences(AgentConfig config, RegionState state) {
        AbsentWorkers absences =
                new AbsentWorkers(state::view, config.workerGrace(), System::nanoTime);
        state.onChange(_ -> absences.check());
        return absences;
    }

    @Produces
    @Singleton
    Workers metered(
            AgentConfig config, RegionState state, WorkerClient client, MeterRegistry registry) {
        RegionGauges.show(state::view, state::connected, registry);
        return new MeteredWorkers(
                new EtcdWorkers(state, client, config.workersRemembered()), registry);
    }

    @Produces
    @Singleton
    PinnedVersionRepair upkeep(
            AgentConfig config,
            RegionName region,
            Workers workers,
            ManifestCache manifests,
            VersionSignals signals) {
        return new PinnedVersionRepair(
                workers,
                manifests::open,
                version -> signals.upkeep(version, region),
                new RepairSchedule(
                        config.workerGrace(), config.upkeep().interval(), System.nanoTime()));
    }

    @Produces
    @Singleton
    JobPins jobPins(
            AgentConfig config,
            RegionName region,
            RegionState state,
            Cluster cluster,
            MeterRegistry registry,
            VersionSignals signals) {
        Counter ended =
                Counter.builder("forebay.agent.pins.of.ended.jobs")
                        .description("Pins that ended because their Kubernetes Job had finished")
                        .register(registry);
        return new JobPins(
                cluster.jobs(config.admission().enabled(), config.kueue().enabled()),
                () -> state.view().pins(),
                pin -> {
                    boolean endedHere = state.unpin(pin);
                    if (endedHere) {
                        ended.increment();
                    }
                    return endedHere;
                },
                pin -> {
                    if (PinOwner.isTakenFor(String.valueOf(pin.job()), pin.id())) {
                        var _ = state.renew(pin.version(), pin.id());
                    }
                },
                version -> signals.pinsEnded(version, region),
                config.jobs().interval());
    }

    @Produces
    @Singleton
    NodeLabels nodeLabels(
            AgentConfig config,
            RegionName region,
            RegionState state,
            Cluster cluster,
            MeterRegistry registry) {
        NodeLabels labels =
                new NodeLabels(
                        new WarmLabels(region),
                        state::nodes,
                        cluster.nodes(),
                        config.nodeLabels().interval());
        Gauge.builder("forebay.agent.node.labels", labels, NodeLabels::count)
                .description("Node labels that name the versions on the node")
                .register(registry);
        return labels;
    }

    void close(@Disposes WorkerClient workers) {
        workers.close();
    }

    private static ForebayException missing(String what) {
        return new ForebayException(ErrorCode.INVALID_ARGUMENT, what);
    }
}
