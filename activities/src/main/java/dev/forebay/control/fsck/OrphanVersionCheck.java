package dev.forebay.control.fsck;

import dev.forebay.control.catalogue.Dataset;
import dev.forebay.control.catalogue.DatasetCatalogue;
import dev.forebay.control.catalogue.NewVersions;
import dev.forebay.control.catalogue.VersionCatalogue;
import dev.forebay.control.fsck.Finding.Kind;
import dev.forebay.control.fsck.Finding.State;
import dev.forebay.control.fsck.RegionStates.Said;
import dev.forebay.control.ingest.VersionPointers;
import dev.forebay.control.requests.VersionReader;
import dev.forebay.model.DatasetName;
import dev.forebay.model.DatasetVersion;
import dev.forebay.model.ErrorCode;
import dev.forebay.model.ForebayException;
import dev.forebay.model.ManifestRef;
import dev.forebay.service.gateway.UsageReport.Mounted;
import dev.forebay.workflows.message.VersionStatus;
import jakarta.inject.Singleton;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.stream.Collectors;

/**
 * Finds versions that regions have mounted, but that neither the catalogue nor a pointer knows.
 * Thread-safe.
 */
@Singleton
class OrphanVersionCheck {

    private final VersionCatalogue versions;
    private final NewVersions newVersions;
    private final DatasetCatalogue datasets;
    private final VersionPointers pointers;
    private final VersionReader reader;
    private final VersionCheck check;

    OrphanVersionCheck(
            VersionCatalogue versions,
            NewVersions newVersions,
            DatasetCatalogue datasets,
            VersionPointers pointers,
            VersionReader reader,
            VersionCheck check) {
        this.versions = versions;
        this.newVersions = newVersions;
        this.datasets = datasets;
        this.pointers = pointers;
        this.reader = reader;
        this.check = check;
    }

    /** Returns the mounted versions that are not in the catalogue, ordered by name. */
    List<DatasetVersion> strays(RegionStates now, FsckScope scope) {
        SortedMap<String, DatasetVersion> mounted = new TreeMap<>();
        now.said().values().stream()
                .flatMap(said -> said.mounts().keySet().stream())
                .filter(scope::contains)
                .forEach(version -> mounted.put(version.toString(), version));
        versions.find(mounted.values())
                .forEach(known -> mounted.remove(known.version().toString()));
        return List.copyOf(mounted.values());
    }

    /**
     * Returns the faults of such a version. Once it is in the catalogue, returns the faults of
     * {@link VersionCheck}.
     */
    List<RepairableFinding> of(DatasetVersion version, RegionStates now) {
        if (versions.row(version).isPresent()) {
            return check.of(version, now);
        }
        Map<String, Mounted> mounts =
                now.said().values().stream()
                        .filter(said -> said.mounts().containsKey(version))
                        .collect(
                                Collectors.toMap(
                                        said -> said.region().value(),
                                        said -> mount(said, version)));
        if (mounts.isEmpty() || hasPointer(version)) {
            return List.of(); // no longer mounted, or the check of pointers reports it
        }
        String where = mounts.keySet().stream().sorted().collect(Collectors.joining(", "));
        Optional<Dataset> dataset = dataset(version.dataset());
        if (dataset.isEmpty()) {
            return List.of(
                    new RepairableFinding(
                            Kind.VERSION_MISSING,
                            version,
                            null,
                            "",
                            "%s has it mounted, but its dataset is not registered".formatted(where),
                            "register %s with its former source, and run fsck again. Without a pin, the next sweep removes the version"
                                    .formatted(version.dataset()),
                            null));
        }
        List<ManifestRef> manifests =
                mounts.values().stream().map(Mounted::manifest).distinct().toList();
        if (manifests.size() > 1) {
            return List.of(
                    new RepairableFinding(
                            Kind.MANIFEST_DIFFERS,
                            version,
                            null,
                            "mount",
                            where + " have it mounted, with different manifests",
                            "stop the jobs that read it, then run 'forebay evict %s --region REGION' for each region"
                                    .formatted(version),
                            null));
        }
        return List.of(
                new RepairableFinding(
                        Kind.VERSION_MISSING,
                        version,
                        null,
                        "",
                        "%s has it mounted, but neither the catalogue nor a pointer has it"
                                .formatted(where),
                        "adds the version with the mounted manifest",
                        () -> enter(dataset.get(), version, manifests.getFirst())));
    }

    private State enter(Dataset dataset, DatasetVersion version, ManifestRef mounted) {
        VersionStatus status =
                reader.frozen(version)
                        .orElseGet(
                                () ->
                                        new VersionStatus(
                                                version,
                                                mounted,
                                                dataset.ttl(),
                                                List.of(),
                                                List.of()));
        newVersions.enter(version, dataset.ttl(), true);
        versions.replace(status, 0);
        return State.REPAIRED;
    }

    private boolean hasPointer(DatasetVersion version) {
        try {
            return pointers.read(version).isPresent();
        } catch (ForebayException e) {
            if (e.code() == ErrorCode.CORRUPT) {
                return false;
            }
            throw e;
        }
    }

    private Optional<Dataset> dataset(DatasetName name) {
        try {
            return Optional.of(datasets.get(name));
        } catch (ForebayException e) {
            if (e.code() == ErrorCode.NOT_FOUND) {
                return Optional.empty();
            }
            throw e;
        }
    }

    private static Mounted mount(Said said, DatasetVersion version) {
        return Objects.requireNonNull(said.mounts().get(version));
    }
}
