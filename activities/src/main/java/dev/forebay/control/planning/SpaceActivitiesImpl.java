package dev.forebay.control.planning;

import dev.forebay.control.regions.Regions;
import dev.forebay.control.requests.VersionRequests;
import dev.forebay.control.temporal.ControlPlaneMetrics;
import dev.forebay.model.DatasetVersion;
import dev.forebay.model.ForebayException;
import dev.forebay.model.ManifestRef;
import dev.forebay.model.RegionName;
import dev.forebay.service.gateway.RegionSurvey;
import dev.forebay.service.space.VictimSelection.Victim;
import dev.forebay.service.temporal.Heartbeat;
import dev.forebay.workflows.activity.SpaceActivities;
import dev.forebay.workflows.message.EvictRequest;
import dev.forebay.workflows.message.Urgency;
import io.temporal.activity.Activity;
import io.temporal.activity.ActivityInfo;
import jakarta.inject.Singleton;
import java.time.Duration;
import java.util.HashSet;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import org.jboss.logging.Logger;
import org.jspecify.annotations.Nullable;

/**
 * Evicts the versions of least value to admit another one. Checks each victim again just before its
 * eviction, and its own workflow decides last. If a victim was used meanwhile, chooses another one.
 * Thread-safe.
 */
@Singleton
public class SpaceActivitiesImpl implements SpaceActivities {

    private static final Logger LOG = Logger.getLogger(SpaceActivitiesImpl.class);

    /**
     * The maximum number of choices in one attempt. Each replaces a victim that stays. The next
     * attempt continues.
     */
    private static final int MOST_CHOICES = 20;

    private final Regions regions;
    private final AdmissionForecast planner;
    private final RecentUses lateUses;
    private final VersionRequests versions;
    private final ControlPlaneMetrics metrics;

    SpaceActivitiesImpl(
            Regions regions,
            AdmissionForecast planner,
            RecentUses lateUses,
            VersionRequests versions,
            ControlPlaneMetrics metrics) {
        this.regions = regions;
        this.planner = planner;
        this.lateUses = lateUses;
        this.versions = versions;
        this.metrics = metrics;
    }

    @Override
    public @Nullable Long quota(DatasetVersion version, RegionName region) {
        return planner.quota(version, region);
    }

    @Override
    public FreedSpace freeSpace(
            DatasetVersion version, ManifestRef manifest, RegionName region, Urgency urgency) {
        ActivityInfo activity = Activity.getExecutionContext().getInfo();
        // Every attempt uses the same id, so that a retry waits for the same evictions.
        String updateId =
                "space-%s-%s".formatted(activity.getWorkflowRunId(), activity.getActivityId());
        return Heartbeat.during(
                Activity.getExecutionContext(),
                () -> "",
                () -> new Clearing(version, manifest, region, urgency, updateId).make());
    }

    /** One attempt to free capacity. Not thread-safe. */
    private final class Clearing {
        private final DatasetVersion version;
        private final ManifestRef manifest;
        private final RegionName region;
        private final Urgency urgency;
        private final String updateId;
        private final Set<DatasetVersion> evicted = new LinkedHashSet<>();
        private final Set<DatasetVersion> spared = new HashSet<>();

        Clearing(
                DatasetVersion version,
                ManifestRef manifest,
                RegionName region,
                Urgency urgency,
                String updateId) {
            this.version = version;
            this.manifest = manifest;
            this.region = region;
            this.urgency = urgency;
            this.updateId = updateId;
        }

        FreedSpace make() {
            for (int choice = 0; choice < MOST_CHOICES; choice++) {
                // Taken before the choice, which does not know later uses.
                long begun = System.nanoTime();
                if (evictAll(victims(), begun)) {
                    break;
                }
            }
            return new FreedSpace(
                    evicted.stream().map(DatasetVersion::toString).toList(),
                    planner.quota(version, region));
        }

        private List<Victim> victims() {
            RegionSurvey survey = survey();
            Long needed = survey == null ? null : survey.neededBytes();
            if (survey == null || needed == null) {
                return List.of();
            }
            return planner.of(
                            version,
                            region,
                            manifest.spaceBytes(),
                            needed,
                            survey.without(spared),
                            urgency)
                    .decision()
                    .victims();
        }

        /**
         * Returns null if the gateway does not answer. The region then decides alone, and queues
         * the version if it must.
         */
        private @Nullable RegionSurvey survey() {
            try {
                return regions.spaceSurvey(region, version, manifest);
            } catch (ForebayException unanswered) {
                LOG.warnf(
                        "Cannot survey the space of %s for %s; the region decides alone: %s",
                        region, version, unanswered.getMessage());
                return null;
            }
        }

        /** Evicts the victims one after the other. Stops and returns false if one stays. */
        private boolean evictAll(List<Victim> victims, long chosenNanos) {
            for (Victim victim : victims) {
                if (evicted.contains(victim.version())) {
                    continue; // and the region does not report it yet
                }
                Duration chosenAgo = Duration.ofNanos(System.nanoTime() - chosenNanos);
                Optional<String> use = lateUses.of(victim.version(), region, chosenAgo);
                use.ifPresent(how -> keeps(victim, how));
                if (use.isPresent() || !isEvicted(victim)) {
                    spared.add(victim.version());
                    return false;
                }
                evicted.add(victim.version());
            }
            return true;
        }

        private boolean isEvicted(Victim victim) {
            // A speculative fill evicts expired versions only, by the clock of the victim's
            // workflow, not of this process.
            EvictRequest request =
                    new EvictRequest(
                            region,
                            "space for " + version,
                            urgency == Urgency.SPECULATIVE,
                            victim.candidate().evictableAt(),
                            true);
            try {
                versions.evict(victim.version(), request, updateId);
                metrics.evictedForAdmission();
                return true;
            } catch (ForebayException kept) {
                keeps(victim, String.valueOf(kept.getMessage()));
                return false;
            }
        }

        private void keeps(Victim victim, String why) {
            LOG.infof("Not evicting %s from %s: %s", victim.version(), region, why);
        }
    }
}
