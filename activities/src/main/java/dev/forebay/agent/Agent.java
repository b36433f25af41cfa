package dev.forebay.agent;

import dev.forebay.agent.config.AgentConfig;
import dev.forebay.agent.kubernetes.KueueWorkloads;
import dev.forebay.agent.kubernetes.NodeLabels;
import dev.forebay.agent.kubernetes.TrainingPods;
import dev.forebay.agent.pins.JobPins;
import dev.forebay.agent.repair.PinnedVersionRepair;
import dev.forebay.membership.RegionState;
import dev.forebay.model.RegionName;
import dev.forebay.service.Role;
import dev.forebay.service.ServiceConfig;
import dev.forebay.service.temporal.TemporalWorkers;
import dev.forebay.service.temporal.TemporalWorkers.Work;
import dev.forebay.settings.SettingsCheck;
import dev.forebay.settings.Startup;
import dev.forebay.workflows.TaskQueues;
import io.quarkus.runtime.ShutdownEvent;
import io.quarkus.runtime.StartupEvent;
import io.temporal.worker.Worker;
import jakarta.enterprise.event.Observes;
import jakarta.enterprise.inject.Instance;
import jakarta.inject.Singleton;
import java.util.function.Consumer;
import org.jboss.logging.Logger;

/** Starts and stops the services that make a process the agent of a region. */
@Singleton
class Agent {

    private static final Logger LOG = Logger.getLogger(Agent.class);

    private final ServiceConfig service;
    private final AgentConfig config;
    private final TemporalWorkers workers;
    private final Instance<RegionName> region;
    private final Instance<RegionActivitiesImpl> activities;
    private final Instance<PinnedVersionRepair> upkeep;
    private final Instance<RegionState> state;
    private final Instance<JobPins> jobPins;
    private final Instance<TrainingPods> trainingPods;
    private final Instance<NodeLabels> nodeLabels;
    private final Instance<KueueWorkloads> kueueWorkloads;

    Agent(
            ServiceConfig service,
            AgentConfig config,
            TemporalWorkers workers,
            Instance<RegionName> region,
            Instance<RegionActivitiesImpl> activities,
            Instance<PinnedVersionRepair> upkeep,
            Instance<RegionState> state,
            Instance<JobPins> jobPins,
            Instance<TrainingPods> trainingPods,
            Instance<NodeLabels> nodeLabels,
            Instance<KueueWorkloads> kueueWorkloads) {
        this.service = service;
        this.config = config;
        this.workers = workers;
        this.region = region;
        this.activities = activities;
        this.upkeep = upkeep;
        this.state = state;
        this.jobPins = jobPins;
        this.trainingPods = trainingPods;
        this.nodeLabels = nodeLabels;
        this.kueueWorkloads = kueueWorkloads;
    }

    void start(@Observes StartupEvent event) {
        if (service.role() == Role.AGENT) {
            Startup.run(this::start);
        }
    }

    private void start() {
        SettingsCheck.check(config);
        RegionName name = region.get();
        RegionActivitiesImpl implementation = activities.get();
        Consumer<Worker> all = worker -> worker.registerActivitiesImplementations(implementation);
        // Does not wait for Temporal: an agent that has never reached it must still renew pins.
        workers.startWhenReachable(
                new Work(TaskQueues.region(name), config.activities(), all),
                new Work(TaskQueues.warm(name), config.warm().activities(), all));
        state.get().onChange(upkeep.get()::changed);
        upkeep.get().start();
        if (config.jobs().watch()) {
            jobPins.get().start();
        }
        if (config.admission().enabled()) {
            trainingPods.get().start();
        }
        if (config.nodeLabels().enabled()) {
            nodeLabels.get().start();
        }
        if (config.kueue().enabled()) {
            kueueWorkloads.get().start();
        }
        LOG.infof("Agent of region %s has started", name);
    }

    void stop(@Observes ShutdownEvent event) {
        if (service.role() == Role.AGENT) {
            upkeep.get().close();
            if (config.jobs().watch()) {
                jobPins.get().close();
            }
            if (config.admission().enabled()) {
                trainingPods.get().close();
            }
            if (config.nodeLabels().enabled()) {
                nodeLabels.get().close();
            }
            if (config.kueue().enabled()) {
                kueueWorkloads.get().close();
            }
            workers.stop();
        }
    }
}
