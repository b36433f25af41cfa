package dev.forebay.control.requests;

import dev.forebay.control.catalogue.Dataset;
import dev.forebay.control.catalogue.DatasetCatalogue;
import dev.forebay.control.catalogue.VersionCatalogue;
import dev.forebay.control.pins.PinExpiries;
import dev.forebay.control.temporal.TemporalCalls;
import dev.forebay.control.temporal.TemporalCalls.NoSuchRunException;
import dev.forebay.control.temporal.VersionWorkflows;
import dev.forebay.model.DatasetVersion;
import dev.forebay.model.ForebayException;
import dev.forebay.service.ServiceConfig;
import dev.forebay.workflows.message.VersionStatus;
import jakarta.inject.Singleton;
import java.time.Duration;
import java.util.List;
import java.util.Optional;

/**
 * Reads the status of versions: from the workflow if it answers quickly, otherwise from the
 * catalogue. Thread-safe.
 */
@Singleton
public class VersionReader {

    private final DatasetCatalogue datasets;
    private final VersionCatalogue versions;
    private final VersionWorkflows workflows;
    private final TemporalCalls temporal;
    private final Duration timeout;

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
        this.timeout = config.temporal().queryTimeout();
    }

    /**
     * The status of a version.
     *
     * @param isCurrent whether the workflow has just reported it, or there is no workflow. If not,
     *     it is the last reported status and may be long outdated
     */
    public record Reading(VersionStatus status, boolean isCurrent) {}

    /**
     * Returns the status of a version.
     *
     * @throws ForebayException {@code NOT_FOUND} for an unknown version
     */
    public VersionStatus status(DatasetVersion version) {
        return reading(version).status();
    }

    /** As {@link #status}, with whether it is current. */
    public Reading reading(DatasetVersion version) {
        datasets.get(version.dataset());
        return live(versions.get(version));
    }

    /** As {@link #status}, but returns a status without regions for an unknown version. */
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
     * Returns the status that the workflow of a frozen version reports, even if the catalogue has
     * lost the version. Returns empty if there is no workflow, or it does not answer.
     */
    public Optional<VersionStatus> frozen(DatasetVersion version) {
        try {
            return Optional.of(temporal.call(timeout, () -> workflows.status(version)))
                    .filter(said -> said.manifest() != null);
        } catch (NoSuchRunException | ForebayException none) {
            return Optional.empty();
        }
    }

    private Reading live(VersionStatus known) {
        try {
            VersionStatus said = temporal.call(timeout, () -> workflows.status(known.version()));
            return new Reading(PinExpiries.newest(withManifest(said, known), known), true);
        } catch (NoSuchRunException over) {
            return new Reading(known, true);
        } catch (ForebayException unanswered) {
            return new Reading(known, false);
        }
    }

    /**
     * Adds the manifest from the catalogue. A workflow learns the manifest of a version that was
     * frozen without a region only when a client requests it.
     */
    private static VersionStatus withManifest(VersionStatus said, VersionStatus known) {
        return said.manifest() != null
                ? said
                : new VersionStatus(
                        said.version(), known.manifest(), said.ttl(), said.regions(), said.pins());
    }
}
