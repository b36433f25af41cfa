package dev.forebay.control.engine;

import dev.forebay.control.engine.Plan.Admission;
import dev.forebay.control.engine.Plan.Room;
import dev.forebay.control.engine.Plan.Victim;
import dev.forebay.control.regions.Regions;
import dev.forebay.model.DatasetVersion;
import dev.forebay.model.ForebayException;
import dev.forebay.model.ManifestRef;
import dev.forebay.model.RegionName;
import dev.forebay.service.gateway.RegionSurvey;
import dev.forebay.service.temporal.Heartbeat;
import dev.forebay.workflows.activity.RoomActivities;
import dev.forebay.workflows.message.EvictRequest;
import dev.forebay.workflows.message.Urgency;
import io.temporal.activity.Activity;
import io.temporal.activity.ActivityInfo;
import jakarta.inject.Singleton;
import java.util.ArrayList;
import java.util.List;
import org.jboss.logging.Logger;
import org.jspecify.annotations.Nullable;

/**
 * Evicts what is worth least. Each victim's own workflow has the last word; what does not go now is
 * looked at again the next time.
 */
@Singleton
class RoomActivitiesImpl implements RoomActivities {

    private static final Logger LOG = Logger.getLogger(RoomActivitiesImpl.class);

    private final Regions regions;
    private final RoomPlanner planner;
    private final DatasetVersions versions;
    private final EngineMetrics metrics;

    RoomActivitiesImpl(
            Regions regions, RoomPlanner planner, DatasetVersions versions, EngineMetrics metrics) {
        this.regions = regions;
        this.planner = planner;
        this.versions = versions;
        this.metrics = metrics;
    }

    @Override
    public Made makeRoom(
            DatasetVersion version, ManifestRef manifest, RegionName region, Urgency urgency) {
        ActivityInfo activity = Activity.getExecutionContext().getInfo();
        // The same in every attempt: a second one waits for the same evictions.
        String updateId =
                "room-%s-%s".formatted(activity.getWorkflowRunId(), activity.getActivityId());
        return Heartbeat.during(
                Activity.getExecutionContext(),
                () -> "",
                () -> {
                    List<String> evicted = new ArrayList<>();
                    for (Victim victim : victims(version, manifest, region, urgency)) {
                        if (isEvicted(victim, version, region, updateId)) {
                            evicted.add(victim.version().toString());
                        }
                    }
                    return new Made(evicted, planner.quota(version, region));
                });
    }

    private List<Victim> victims(
            DatasetVersion version, ManifestRef manifest, RegionName region, Urgency urgency) {
        RegionSurvey survey = survey(version, manifest, region);
        Long needed = survey == null ? null : survey.neededBytes();
        if (survey == null || needed == null) {
            return List.of();
        }
        Room room = planner.of(version, region, manifest.roomBytes(), needed, survey, urgency);
        return room.admission() == Admission.AFTER_EVICTION ? room.victims() : List.of();
    }

    /** Without the gateway the region decides by itself, and has the version wait if it must. */
    private @Nullable RegionSurvey survey(
            DatasetVersion version, ManifestRef manifest, RegionName region) {
        try {
            return regions.room(region, version, manifest);
        } catch (ForebayException unanswered) {
            LOG.warnf("No room is made for %s: %s", version, unanswered.getMessage());
            return null;
        }
    }

    private boolean isEvicted(
            Victim victim, DatasetVersion version, RegionName region, String updateId) {
        try {
            versions.evict(
                    victim.version(),
                    new EvictRequest(region, "room for " + version, false),
                    updateId);
            metrics.madeRoom();
            return true;
        } catch (ForebayException kept) {
            LOG.infof("%s stays in %s: %s", victim.version(), region, kept.getMessage());
            return false;
        }
    }
}
