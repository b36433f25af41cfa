package dev.forebay.agent;

import dev.forebay.agent.capacity.AdmissionRule;
import dev.forebay.agent.capacity.EvictionBackoff;
import dev.forebay.agent.capacity.RecentCapacity;
import dev.forebay.agent.capacity.SpaceCalculator;
import dev.forebay.agent.config.AgentConfig;
import dev.forebay.agent.fill.FillRate;
import dev.forebay.agent.fill.OwnerChunkFill;
import dev.forebay.agent.fill.RangeCursor;
import dev.forebay.agent.fill.RangeFill;
import dev.forebay.agent.pins.RegionPins;
import dev.forebay.agent.workers.AbsentWorkers;
import dev.forebay.agent.workers.ChunkDrop;
import dev.forebay.agent.workers.CoverageCheck;
import dev.forebay.agent.workers.Workers;
import dev.forebay.manifest.cache.CachedManifest;
import dev.forebay.manifest.cache.ManifestCache;
import dev.forebay.membership.Pin;
import dev.forebay.membership.QueuedVersion;
import dev.forebay.membership.RegionState;
import dev.forebay.model.DatasetVersion;
import dev.forebay.model.ErrorCode;
import dev.forebay.model.ForebayException;
import dev.forebay.model.ManifestRef;
import dev.forebay.model.RegionName;
import dev.forebay.model.Sibling;
import dev.forebay.service.temporal.Heartbeat;
import dev.forebay.workflows.Failures;
import dev.forebay.workflows.activity.RegionActivities;
import dev.forebay.workflows.message.PinRequest;
import dev.forebay.workflows.message.SpaceClaim;
import io.temporal.activity.Activity;
import io.temporal.activity.ActivityExecutionContext;
import jakarta.inject.Singleton;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/** The activities of this agent's region, on top of its etcd and its workers. */
@Singleton
class RegionActivitiesImpl implements RegionActivities {

    private final RegionName name;
    private final RegionState region;
    private final RegionPins pins;
    private final SpaceCalculator space;
    private final RecentCapacity capacity;
    private final EvictionBackoff evictions = new EvictionBackoff(System::nanoTime);
    private final AbsentWorkers absences;
    private final Workers workers;
    private final ManifestCache manifests;
    private final FillRate rate;
    private final AgentConfig config;

    RegionActivitiesImpl(
            RegionName name,
            RegionState region,
            RegionPins pins,
            SpaceCalculator space,
            RecentCapacity capacity,
            AbsentWorkers absences,
            Workers workers,
            ManifestCache manifests,
            FillRate rate,
            AgentConfig config) {
        this.name = name;
        this.region = region;
        this.pins = pins;
        this.space = space;
        this.capacity = capacity;
        this.absences = absences;
        this.workers = workers;
        this.manifests = manifests;
        this.rate = rate;
        this.config = config;
    }

    @Override
    public String admit(DatasetVersion version, ManifestRef manifest, SpaceClaim claim) {
        AdmissionRule admission =
                new AdmissionRule(
                        space,
                        name,
                        capacity.bytes(),
                        version,
                        manifest,
                        claim.urgency(),
                        claim.quotaBytes(),
                        claim.since());
        admission.prepare(region.view());
        Optional<QueuedVersion> waits = region.admit(version, manifest, admission);
        if (waits.isEmpty()) {
            return path(version);
        }
        String why = waits.get().reason();
        if (evictions.isDue(version, admission.evictionsCouldHelp(region.view()))) {
            // Ends the retries, so that the workflow evicts other versions first.
            throw Failures.refusal(ErrorCode.CAPACITY_EXCEEDED, why);
        }
        throw new ForebayException(ErrorCode.CAPACITY_EXCEEDED, why);
    }

    private String path(DatasetVersion version) {
        String root = config.mountRoot();
        return (root.endsWith("/") ? root : root + "/") + version.path();
    }

    @Override
    public void fillFrom(DatasetVersion version, List<Sibling> siblings) {
        region.fillFrom(version, siblings);
    }

    @Override
    public WarmResult warm(
            DatasetVersion version, ManifestRef manifest, long fromOrdinal, long toOrdinal) {
        ActivityExecutionContext activity = Activity.getExecutionContext();
        WarmProgress begun =
                activity.getHeartbeatDetails(WarmProgress.class)
                        .orElse(new WarmProgress(fromOrdinal, 0, 0, 0));
        RangeCursor cursor = new RangeCursor(begun);
        return Heartbeat.during(
                activity,
                cursor::progress,
                () -> {
                    try (CachedManifest open = manifests.open(manifest)) {
                        OwnerChunkFill fill =
                                new OwnerChunkFill(workers, manifest.digest(), absences);
                        return new RangeFill(open, fill, rate, config.warm().concurrency())
                                .run(cursor, fromOrdinal, toOrdinal);
                    }
                });
    }

    @Override
    public Coverage confirm(DatasetVersion version, ManifestRef manifest) {
        try (CachedManifest open = manifests.open(manifest)) {
            Coverage coverage = new CoverageCheck(workers).of(version, manifest.digest(), open);
            if (coverage.complete()) {
                region.markCached(version);
            }
            return coverage;
        }
    }

    @Override
    public Duration pin(DatasetVersion version, PinRequest request) {
        region.pin(
                new Pin(
                        version,
                        request.id(),
                        request.holder(),
                        request.reason(),
                        request.lease(),
                        request.job()));
        return request.lease();
    }

    @Override
    public Map<String, Duration> remaining(DatasetVersion version, List<String> pinIds) {
        return pins.remaining(version, pinIds);
    }

    @Override
    public void unpin(DatasetVersion version, String pinId) {
        region.unpin(version, pinId);
    }

    @Override
    public void beginEviction(DatasetVersion version) {
        region.beginEviction(version);
    }

    @Override
    public void drop(DatasetVersion version, ManifestRef manifest) {
        ChunkDrop dropping = new ChunkDrop(workers, absences);
        Heartbeat.during(
                Activity.getExecutionContext(),
                () -> "",
                () -> {
                    // Otherwise the version is gone already or was never there. Workers know bytes
                    // by their manifest, so they would drop those of another version with the same
                    // manifest.
                    if (isMounted(version)) {
                        dropping.drop(manifest.digest());
                    }
                    region.unmount(version);
                    return true;
                });
    }

    private boolean isMounted(DatasetVersion version) {
        region.catchUp();
        return region.view().mounts().stream().anyMatch(it -> it.version().equals(version));
    }
}
