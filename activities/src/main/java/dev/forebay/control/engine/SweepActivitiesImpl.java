package dev.forebay.control.engine;

import dev.forebay.control.catalogue.VersionCatalogue;
import dev.forebay.model.DatasetVersion;
import dev.forebay.model.ErrorCode;
import dev.forebay.model.ForebayException;
import dev.forebay.model.RegionName;
import dev.forebay.service.temporal.Heartbeat;
import dev.forebay.workflows.activity.SweepActivities;
import dev.forebay.workflows.message.EvictRequest;
import io.temporal.activity.Activity;
import jakarta.inject.Singleton;
import java.time.Instant;
import java.util.List;
import java.util.function.Supplier;

/**
 * Finds what has outlived its time in the catalogue, and asks each version's workflow, which knows
 * better, to evict it.
 */
@Singleton
class SweepActivitiesImpl implements SweepActivities {

    private static final String REASON = "its time to live has passed";

    private final VersionCatalogue catalogue;
    private final DatasetVersions versions;
    private final EngineMetrics metrics;

    SweepActivitiesImpl(
            VersionCatalogue catalogue, DatasetVersions versions, EngineMetrics metrics) {
        this.catalogue = catalogue;
        this.versions = versions;
        this.metrics = metrics;
    }

    @Override
    public List<DatasetVersion> expired(RegionName region, int limit) {
        return heartbeating(() -> catalogue.expired(region, Instant.now(), limit));
    }

    @Override
    public Outcome evictIfExpired(DatasetVersion version, RegionName region) {
        // The same in every attempt of one sweep: a second attempt waits for the same eviction.
        String updateId = "sweep-" + Activity.getExecutionContext().getInfo().getWorkflowRunId();
        Outcome outcome = heartbeating(() -> evictIfExpired(version, region, updateId));
        metrics.swept(outcome.evicted());
        return outcome;
    }

    private Outcome evictIfExpired(DatasetVersion version, RegionName region, String updateId) {
        try {
            boolean gone =
                    versions.evict(version, new EvictRequest(region, REASON, true), updateId);
            return new Outcome(version, gone, gone ? REASON : "its eviction goes on");
        } catch (ForebayException e) {
            if (e.code() == ErrorCode.PINNED || e.code() == ErrorCode.INVALID_ARGUMENT) {
                return new Outcome(version, false, String.valueOf(e.getMessage()));
            }
            throw e;
        }
    }

    private static <T> T heartbeating(Supplier<T> work) {
        return Heartbeat.during(Activity.getExecutionContext(), () -> "", work);
    }
}
