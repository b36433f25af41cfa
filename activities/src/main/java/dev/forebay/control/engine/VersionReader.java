package dev.forebay.control.engine;

import dev.forebay.control.catalogue.Dataset;
import dev.forebay.control.catalogue.DatasetCatalogue;
import dev.forebay.control.catalogue.VersionCatalogue;
import dev.forebay.control.engine.TemporalCalls.NoSuchRunException;
import dev.forebay.model.DatasetVersion;
import dev.forebay.model.ForebayException;
import dev.forebay.service.ServiceConfig;
import dev.forebay.workflows.message.VersionStatus;
import jakarta.inject.Singleton;
import java.time.Duration;
import java.util.List;
import java.util.Optional;

/**
 * What is known of versions: what the workflow says if it answers quickly, else what it said last.
 * Safe for use by many threads.
 */
@Singleton
public class VersionReader {

    private final DatasetCatalogue datasets;
    private final VersionCatalogue versions;
    private final VersionWorkflows workflows;
    private final TemporalCalls temporal;
    private final Duration patience;

    VersionReader(
            DatasetCatalogue datasets,
            VersionCatalogue versions,
            VersionWorkflows workflows,
            TemporalCalls temporal,
            ServiceConfig config) {
        this.datasets = datasets;
        this.versions = versions;
        this.workflows = workflows;
        this.temporal = temporal;
        this.patience = config.temporal().queryTimeout();
    }

    /**
     * What is known of a version.
     *
     * @param isCurrent whether its workflow has just said so, or there is none; else it is what one
     *     said last, and may be long over
     */
    record Reading(VersionStatus status, boolean isCurrent) {}

    /**
     * What is known of a version.
     *
     * @throws ForebayException {@code NOT_FOUND} if nobody ever asked for the version
     */
    public VersionStatus status(DatasetVersion version) {
        return reading(version).status();
    }

    /** As {@link #status}, and whether that is current. */
    Reading reading(DatasetVersion version) {
        datasets.get(version.dataset());
        return versions.find(version).map(this::live).orElseThrow(() -> versions.unknown(version));
    }

    /** As {@link #status}, but a version that nobody asked for is simply nowhere. */
    public VersionStatus statusOrNothing(DatasetVersion version) {
        Dataset dataset = datasets.get(version.dataset());
        return versions.find(version)
                .map(known -> live(known).status())
                .orElseGet(
                        () ->
                                new VersionStatus(
                                        version, null, dataset.ttl(), List.of(), List.of()));
    }

    /**
     * What the workflow of a frozen version says, whether the catalogue knows of the version or has
     * lost it; empty if there is none, or it does not answer.
     */
    Optional<VersionStatus> frozen(DatasetVersion version) {
        try {
            return Optional.of(temporal.call(patience, () -> workflows.status(version)))
                    .filter(said -> said.manifest() != null);
        } catch (NoSuchRunException | ForebayException none) {
            return Optional.empty();
        }
    }

    private Reading live(VersionStatus known) {
        try {
            VersionStatus said = temporal.call(patience, () -> workflows.status(known.version()));
            return new Reading(PinExpiries.newest(withManifest(said, known), known), true);
        } catch (NoSuchRunException over) {
            return new Reading(known, true);
        } catch (ForebayException unanswered) {
            return new Reading(known, false);
        }
    }

    /** A workflow hears of a version that was frozen by itself when somebody asks for it. */
    private static VersionStatus withManifest(VersionStatus said, VersionStatus known) {
        return said.manifest() != null
                ? said
                : new VersionStatus(
                        said.version(), known.manifest(), said.ttl(), said.regions(), said.pins());
    }
}
