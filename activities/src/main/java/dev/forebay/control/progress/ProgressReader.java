package dev.forebay.control.progress;

import dev.forebay.control.progress.RunningActivities.Work;
import dev.forebay.control.requests.VersionReader;
import dev.forebay.model.DatasetVersion;
import dev.forebay.model.ForebayException;
import dev.forebay.workflows.message.VersionStatus;
import jakarta.inject.Singleton;
import java.time.Instant;
import java.util.Map;

/**
 * Reads the progress of versions, from their workflows and their running activities. Thread-safe.
 */
@Singleton
public class ProgressReader {

    private final VersionReader reader;
    private final RunningActivities underway;
    private final HighestProgress highWater = new HighestProgress();

    ProgressReader(VersionReader reader, RunningActivities underway) {
        this.reader = reader;
        this.underway = underway;
    }

    /**
     * Returns the progress of a version.
     *
     * @throws ForebayException {@code NOT_FOUND} for an unknown version
     */
    public VersionProgress of(DatasetVersion version) {
        VersionReader.Reading reading = reader.reading(version);
        return of(reading.status(), reading.isCurrent());
    }

    /** As {@link #of(DatasetVersion)}, for a version whose status was just read. */
    public VersionProgress of(VersionStatus status) {
        return of(status, true);
    }

    private VersionProgress of(VersionStatus status, boolean isCurrent) {
        Map<String, Work> work = underway.of(status);
        Instant now = Instant.now();
        return new VersionProgress(
                status,
                status.regions().stream()
                        .map(
                                residency ->
                                        RegionProgress.of(
                                                residency,
                                                status.manifest(),
                                                work.getOrDefault(
                                                        residency.region().value(), Work.NONE),
                                                now))
                        .map(progress -> highWater.raised(status.version(), progress))
                        .toList(),
                isCurrent);
    }
}
