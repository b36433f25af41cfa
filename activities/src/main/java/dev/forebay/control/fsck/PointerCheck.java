package dev.forebay.control.fsck;

import dev.forebay.control.catalogue.Dataset;
import dev.forebay.control.catalogue.DatasetCatalogue;
import dev.forebay.control.catalogue.Origin;
import dev.forebay.control.catalogue.VersionCatalogue;
import dev.forebay.control.fsck.Finding.Kind;
import dev.forebay.control.fsck.Finding.State;
import dev.forebay.control.ingest.VersionPointers;
import dev.forebay.control.ingest.VersionPointers.Pointer;
import dev.forebay.manifest.Comparison;
import dev.forebay.model.DatasetVersion;
import dev.forebay.model.ErrorCode;
import dev.forebay.model.ForebayException;
import dev.forebay.model.ManifestRef;
import dev.forebay.workflows.message.VersionStatus;
import jakarta.inject.Singleton;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/** Compares the catalogue with the pointers beside the manifests. Thread-safe. */
@Singleton
class PointerCheck {

    private final VersionPointers pointers;
    private final CatalogueRestore restore;
    private final DatasetCatalogue datasets;
    private final VersionCatalogue versions;

    PointerCheck(
            VersionPointers pointers,
            CatalogueRestore restore,
            DatasetCatalogue datasets,
            VersionCatalogue versions) {
        this.pointers = pointers;
        this.restore = restore;
        this.datasets = datasets;
        this.versions = versions;
    }

    /** Returns the faults of a pointer and of its version in the catalogue. */
    List<RepairableFinding> ofPointer(String key) {
        DatasetVersion version = VersionPointers.version(key).orElse(null);
        Pointer pointer;
        try {
            pointer = pointers.read(key);
        } catch (ForebayException e) {
            return switch (e.code()) {
                case NOT_FOUND -> List.of();
                case CORRUPT -> List.of(damaged(version, key, String.valueOf(e.getMessage())));
                default -> throw e;
            };
        }
        Optional<VersionStatus> known = versions.find(pointer.version());
        ManifestRef manifest = known.map(VersionStatus::manifest).orElse(null);
        if (manifest == null) {
            return List.of(missing(pointer));
        }
        if (!manifest.digest().equals(pointer.manifest().digest())) {
            return List.of(differs(pointer, manifest));
        }
        return isSame(pointer, manifest)
                ? List.of()
                : List.of(
                        damaged(
                                version,
                                key,
                                "the pointer names the version's manifest, but its address, size "
                                        + "or source differs from the catalogue"));
    }

    /**
     * Returns whether the pointer agrees with the catalogue. A catalogue restored from the pointer
     * would contain its errors.
     */
    private boolean isSame(Pointer pointer, ManifestRef manifest) {
        return manifest.equals(pointer.manifest())
                && versions.origin(pointer.version())
                        .map(origin -> origin.source().equals(pointer.origin().source()))
                        .orElse(true);
    }

    private RepairableFinding missing(Pointer pointer) {
        return new RepairableFinding(
                Kind.VERSION_MISSING,
                pointer.version(),
                null,
                "",
                "the catalogue does not have this version, which was frozen at %s"
                        .formatted(pointer.origin().frozenAt()),
                "adds the version with the manifest that its pointer names",
                () -> {
                    boolean _ = restore.restore(pointer);
                    return State.REPAIRED;
                });
    }

    private static RepairableFinding differs(Pointer pointer, ManifestRef manifest) {
        return new RepairableFinding(
                Kind.MANIFEST_DIFFERS,
                pointer.version(),
                null,
                "pointer",
                "its manifest is %s in the catalogue, but %s in its pointer"
                        .formatted(
                                manifest.digest().abbreviated(),
                                pointer.manifest().digest().abbreviated()),
                RepairableFinding.remedyOfTwoManifests(pointer.version()),
                null);
    }

    private RepairableFinding damaged(@Nullable DatasetVersion version, String key, String why) {
        Optional<Pointer> known = version == null ? Optional.empty() : known(version);
        return new RepairableFinding(
                Kind.POINTER_DAMAGED,
                version,
                null,
                key,
                why,
                known.isPresent()
                        ? "writes the pointer again from the catalogue"
                        : "restore the object from a backup of the manifest bucket",
                known.<RepairableFinding.Repair>map(
                                pointer ->
                                        () -> {
                                            pointers.replace(pointer);
                                            return State.REPAIRED;
                                        })
                        .orElse(null));
    }

    /** Returns the faults of the pointer of a version in the catalogue. */
    List<RepairableFinding> ofVersion(VersionStatus known) {
        ManifestRef manifest = known.manifest();
        return manifest == null || isThere(known.version())
                ? List.of()
                : List.of(unwritten(known.version(), manifest));
    }

    private boolean isThere(DatasetVersion version) {
        try {
            return pointers.read(version).isPresent();
        } catch (ForebayException e) {
            if (e.code() == ErrorCode.CORRUPT) {
                return true; // the check of pointers reports the damage
            }
            throw e;
        }
    }

    private RepairableFinding unwritten(DatasetVersion version, ManifestRef manifest) {
        return new RepairableFinding(
                Kind.POINTER_MISSING,
                version,
                null,
                "",
                "it has no pointer in the manifest bucket",
                "writes its pointer from the catalogue",
                () -> {
                    Pointer _ = pointers.claim(pointer(version, manifest));
                    return State.REPAIRED;
                });
    }

    /**
     * Returns the pointer that the catalogue would write; empty if it does not know the manifest.
     */
    private Optional<Pointer> known(DatasetVersion version) {
        return versions.find(version)
                .flatMap(status -> Optional.ofNullable(status.manifest()))
                .map(manifest -> pointer(version, manifest));
    }

    /**
     * Builds a pointer from the catalogue. Without a known origin, the version counts as the first
     * one.
     */
    private Pointer pointer(DatasetVersion version, ManifestRef manifest) {
        Dataset dataset = datasets.get(version.dataset());
        Origin origin =
                versions.origin(version)
                        .orElseGet(
                                () ->
                                        new Origin(
                                                dataset.source(),
                                                null,
                                                null,
                                                new Comparison(
                                                        0,
                                                        0,
                                                        manifest.objects(),
                                                        0,
                                                        manifest.bytes()),
                                                Instant.now()));
        return Pointer.of(dataset, version, manifest, origin);
    }
}
