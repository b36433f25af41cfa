package dev.forebay.control.fsck;

import dev.forebay.control.catalogue.DatasetCatalogue;
import dev.forebay.control.catalogue.VersionCatalogue;
import dev.forebay.control.catalogue.VersionCatalogue.Row;
import dev.forebay.control.fsck.Finding.Kind;
import dev.forebay.control.fsck.Finding.State;
import dev.forebay.control.fsck.RegionStates.Said;
import dev.forebay.control.pins.PinExpiries;
import dev.forebay.control.temporal.TemporalCalls;
import dev.forebay.control.temporal.TemporalCalls.NoSuchRunException;
import dev.forebay.control.temporal.UpdateSender;
import dev.forebay.control.temporal.UpdateSender.Update;
import dev.forebay.control.temporal.VersionWorkflows;
import dev.forebay.model.DatasetVersion;
import dev.forebay.model.ManifestRef;
import dev.forebay.model.RegionName;
import dev.forebay.workflows.Revision;
import dev.forebay.workflows.message.Residency;
import dev.forebay.workflows.message.TtlRequest;
import dev.forebay.workflows.message.VersionStatus;
import jakarta.inject.Singleton;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.UUID;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * Compares a version in the catalogue with its workflow, which is authoritative, and both with its
 * pointer, its manifest and the regions. Thread-safe.
 */
@Singleton
class VersionCheck {

    private final PointerCheck pointers;
    private final ManifestCheck manifests;
    private final RegionCheck regions;
    private final DatasetCatalogue datasets;
    private final VersionCatalogue versions;
    private final VersionWorkflows workflows;
    private final UpdateSender updates;
    private final TemporalCalls temporal;

    VersionCheck(
            PointerCheck pointers,
            ManifestCheck manifests,
            RegionCheck regions,
            DatasetCatalogue datasets,
            VersionCatalogue versions,
            VersionWorkflows workflows,
            UpdateSender updates,
            TemporalCalls temporal) {
        this.pointers = pointers;
        this.manifests = manifests;
        this.regions = regions;
        this.datasets = datasets;
        this.versions = versions;
        this.workflows = workflows;
        this.updates = updates;
        this.temporal = temporal;
    }

    /**
     * The status of a running workflow.
     *
     * @param revision the revision of the workflow when it was read
     */
    private record Life(VersionStatus status, Revision revision) {}

    /**
     * Returns the faults of a version, in the order in which they are to be repaired.
     *
     * @throws dev.forebay.model.ForebayException {@code UNAVAILABLE} if Temporal does not answer,
     *     or {@code LAKE_*}
     */
    List<RepairableFinding> of(DatasetVersion version, RegionStates now) {
        // Reads the row before the workflow, so that a status reported meanwhile has a later
        // revision.
        Row row = versions.row(version).orElse(null);
        if (row == null) {
            return List.of();
        }
        List<RepairableFinding> faults = new ArrayList<>();
        List<RepairableFinding> ofManifest = manifests.of(row.status());
        faults.addAll(ofManifest);
        faults.addAll(pointers.ofVersion(row.status()));
        Optional<Life> life = life(version);
        if (life.isEmpty() && VersionWorkflows.isSomewhere(row.status())) {
            faults.add(unborn(row.status()));
        }
        life.flatMap(alive -> difference(row, alive)).ifPresent(faults::add);
        VersionStatus believed =
                life.map(alive -> PinExpiries.newest(alive.status(), row.status()))
                        .orElse(row.status());
        ManifestRef manifest = row.status().manifest();
        // Regions need the manifest, too: without it they cannot report on its bytes.
        if (manifest != null && ofManifest.isEmpty()) {
            for (Said region : now.said().values()) {
                faults.addAll(regions.of(believed, manifest, region));
            }
        }
        return faults;
    }

    private Optional<Life> life(DatasetVersion version) {
        try {
            // Requires a running workflow first, because Temporal may not answer a query of a
            // closed run.
            return temporal.call(() -> workflows.revision(version))
                    .map(
                            revision ->
                                    new Life(
                                            temporal.call(() -> workflows.status(version)),
                                            revision));
        } catch (NoSuchRunException never) {
            return Optional.empty();
        }
    }

    private RepairableFinding unborn(VersionStatus known) {
        DatasetVersion version = known.version();
        return new RepairableFinding(
                Kind.WORKFLOW_MISSING,
                version,
                null,
                "",
                "the catalogue says that it is in %s, but no workflow runs for it"
                        .formatted(
                                states(known).keySet().stream()
                                        .map(RegionName::value)
                                        .sorted()
                                        .collect(Collectors.joining(", "))),
                "starts its workflow with the state in the catalogue",
                () -> {
                    // The version has this time to live already, so the update only starts the
                    // workflow.
                    var _ =
                            updates.start(
                                    datasets.get(version.dataset()),
                                    new Update<@Nullable Void>(
                                            version,
                                            "setTtl",
                                            "fsck-" + UUID.randomUUID(),
                                            Void.class,
                                            new TtlRequest(known.ttl())));
                    return State.REPAIRED;
                });
    }

    private Optional<RepairableFinding> difference(Row row, Life life) {
        VersionStatus known = row.status();
        VersionStatus said = life.status();
        ManifestRef here = known.manifest();
        ManifestRef there = said.manifest();
        if (here != null && there != null && !here.digest().equals(there.digest())) {
            return Optional.of(
                    new RepairableFinding(
                            Kind.MANIFEST_DIFFERS,
                            known.version(),
                            null,
                            "workflow",
                            "its manifest is %s in the catalogue, but %s in its workflow"
                                    .formatted(
                                            here.digest().abbreviated(),
                                            there.digest().abbreviated()),
                            RepairableFinding.remedyOfTwoManifests(known.version()),
                            null));
        }
        if (Revision.of(row.revision()).isAheadOf(life.revision())) {
            return Optional.of(
                    corrected(
                            row,
                            said,
                            "the catalogue has a later revision than its workflow, so it ignores "
                                    + "the workflow's updates"));
        }
        boolean same =
                states(known).equals(states(said))
                        && pins(known).equals(pins(said))
                        && known.ttl().equals(said.ttl());
        return same
                ? Optional.empty()
                : Optional.of(
                        corrected(
                                row,
                                said,
                                "the catalogue says %s, but its workflow says %s"
                                        .formatted(described(known), described(said))));
    }

    private RepairableFinding corrected(Row row, VersionStatus said, String message) {
        return new RepairableFinding(
                Kind.CATALOGUE_DIFFERS,
                said.version(),
                null,
                "",
                message,
                "writes the workflow's state into the catalogue",
                () -> {
                    versions.correct(said, row.revision());
                    return State.REPAIRED;
                });
    }

    private static Map<RegionName, Residency.State> states(VersionStatus status) {
        return status.regions().stream()
                .filter(residency -> residency.state() != Residency.State.ABSENT)
                .collect(Collectors.toMap(Residency::region, Residency::state));
    }

    private static Set<String> pins(VersionStatus status) {
        return status.pins().stream()
                .map(pin -> pin.region() + "/" + pin.id())
                .collect(Collectors.toSet());
    }

    private static String described(VersionStatus status) {
        String regions =
                status.regions().stream()
                        .filter(residency -> residency.state() != Residency.State.ABSENT)
                        .map(residency -> residency.region() + " " + residency.state())
                        .collect(Collectors.joining(", "));
        return "%s with %d pins and a time to live of %d s"
                .formatted(
                        regions.isEmpty() ? "nowhere" : regions,
                        status.pins().size(),
                        status.ttl().toSeconds());
    }
}
