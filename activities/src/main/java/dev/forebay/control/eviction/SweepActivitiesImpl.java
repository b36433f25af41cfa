package dev.forebay.control.eviction;

import dev.forebay.control.catalogue.ResidentCatalogue;
import dev.forebay.control.regions.Regions;
import dev.forebay.control.requests.VersionRequests;
import dev.forebay.control.temporal.ControlPlaneMetrics;
import dev.forebay.control.temporal.TemporalCalls;
import dev.forebay.control.temporal.TemporalCalls.NoSuchRunException;
import dev.forebay.control.temporal.VersionWorkflows;
import dev.forebay.model.DatasetVersion;
import dev.forebay.model.ErrorCode;
import dev.forebay.model.ForebayException;
import dev.forebay.model.RegionName;
import dev.forebay.service.temporal.Heartbeat;
import dev.forebay.workflows.activity.SweepActivities;
import dev.forebay.workflows.message.EvictRequest;
import dev.forebay.workflows.message.ReadReport;
import dev.forebay.workflows.message.SweepReason;
import dev.forebay.workflows.message.Victim;
import io.temporal.activity.Activity;
import jakarta.inject.Singleton;
import java.util.List;
import java.util.function.Supplier;
import org.jboss.logging.Logger;

/**
 * Runs the activities of sweeps: finds victims, and asks each version's workflow to evict it. The
 * workflow decides.
 */
@Singleton
public class SweepActivitiesImpl implements SweepActivities {

    private static final Logger LOG = Logger.getLogger(SweepActivitiesImpl.class);

    private final Regions regions;
    private final ResidentCatalogue residents;
    private final VersionRequests versions;
    private final VersionWorkflows workflows;
    private final TemporalCalls temporal;
    private final SweepSurveyor plans;
    private final ControlPlaneMetrics metrics;

    SweepActivitiesImpl(
            Regions regions,
            ResidentCatalogue residents,
            VersionRequests versions,
            VersionWorkflows workflows,
            TemporalCalls temporal,
            SweepSurveyor plans,
            ControlPlaneMetrics metrics) {
        this.regions = regions;
        this.residents = residents;
        this.versions = versions;
        this.workflows = workflows;
        this.temporal = temporal;
        this.plans = plans;
        this.metrics = metrics;
    }

    @Override
    public List<Victim> findVictims(RegionName region, int limit) {
        return heartbeating(
                () -> {
                    if (isGone(region)) {
                        return List.of();
                    }
                    SweepPlan plan = plans.preview(region).plan();
                    plan.notes().forEach(note -> LOG.warnf("Sweep of %s: %s", region, note));
                    plan.reads().forEach(read -> tell(read, region));
                    return plan.victims().stream().limit(limit).toList();
                });
    }

    /**
     * Returns whether a region is no longer configured. No agent would finish an eviction there.
     */
    private boolean isGone(RegionName region) {
        boolean gone = !regions.names().contains(region.value());
        if (gone) {
            LOG.warnf("Not sweeping %s: it is not in forebay.regions", region);
        }
        return gone;
    }

    /** Reports the read to the workflow, so that the time to live starts again and users see it. */
    private void tell(SweepPlan.Read read, RegionName region) {
        try {
            temporal.call(
                    () -> {
                        workflows.read(read.version(), new ReadReport(region, read.ago()));
                        return true;
                    });
        } catch (ForebayException | NoSuchRunException unreported) {
            LOG.debugf(unreported, "Cannot report a read to the workflow of %s", read.version());
        }
    }

    @Override
    public Outcome evictVictim(Victim victim, RegionName region) {
        Outcome outcome = heartbeating(() -> evict(victim, region));
        metrics.swept(victim.reason(), outcome.evicted());
        return outcome;
    }

    private Outcome evict(Victim victim, RegionName region) {
        DatasetVersion version = victim.version();
        if (victim.reason() == SweepReason.DATASET_DELETED
                && residents.deletedAt(version).isEmpty()) {
            return new Outcome(version, false, "its dataset was registered again", victim.reason());
        }
        EvictRequest request =
                new EvictRequest(
                        region,
                        victim.why(),
                        victim.reason() == SweepReason.EXPIRED,
                        victim.evictableAt(),
                        victim.reason() != SweepReason.DATASET_DELETED);
        return evict(victim, request);
    }

    @Override
    public boolean isOrphan(Victim victim, RegionName region) {
        boolean orphan = heartbeating(() -> plans.isOrphan(victim.version(), region));
        metrics.swept(victim.reason(), orphan);
        return orphan;
    }

    private Outcome evict(Victim victim, EvictRequest request) {
        DatasetVersion version = victim.version();
        // Every attempt of one sweep uses the same id, so that a retry waits for the same eviction.
        String updateId = "sweep-" + Activity.getExecutionContext().getInfo().getWorkflowRunId();
        try {
            boolean gone = versions.evict(version, request, updateId);
            String reason = gone ? request.reason() : "its eviction continues";
            return new Outcome(version, gone, reason, victim.reason());
        } catch (ForebayException e) {
            if (e.code() == ErrorCode.PINNED || e.code() == ErrorCode.INVALID_ARGUMENT) {
                String refusal = String.valueOf(e.getMessage());
                return new Outcome(version, false, refusal, victim.reason());
            }
            throw e;
        }
    }

    private static <T> T heartbeating(Supplier<T> work) {
        return Heartbeat.during(Activity.getExecutionContext(), () -> "", work);
    }
}
