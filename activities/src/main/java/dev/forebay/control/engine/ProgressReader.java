package dev.forebay.control.engine;

import dev.forebay.control.engine.Underway.Work;
import dev.forebay.model.DatasetVersion;
import dev.forebay.model.ForebayException;
import dev.forebay.workflows.message.VersionStatus;
import jakarta.inject.Singleton;
import java.time.Instant;
import java.util.Map;

/** How far versions are, as exactly as is known. Safe for use by many threads. */
@Singleton
public class ProgressReader {

    private final VersionReader reader;
    private final Underway underway;
    private final HighWater highWater = new HighWater();

    ProgressReader(VersionReader reader, Underway underway) {
        this.reader = reader;
        this.underway = underway;
    }

    /**
     * How far a version is.
     *
     * @throws ForebayException {@code NOT_FOUND} if nobody ever asked for the version
     */
    public VersionProgress of(DatasetVersion version) {
        VersionReader.Reading reading = reader.reading(version);
        return of(reading.status(), reading.isCurrent());
    }

    /** As {@link #of(DatasetVersion)}, of one that had this status just now. */
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
