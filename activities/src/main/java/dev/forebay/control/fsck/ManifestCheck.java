package dev.forebay.control.fsck;

import dev.forebay.control.fsck.Finding.Kind;
import dev.forebay.control.fsck.Finding.State;
import dev.forebay.control.regions.Regions;
import dev.forebay.lake.Lake;
import dev.forebay.manifest.cache.CachedManifest;
import dev.forebay.manifest.cache.ManifestCache;
import dev.forebay.manifest.cache.ManifestCache.Fetcher;
import dev.forebay.model.ErrorCode;
import dev.forebay.model.ForebayException;
import dev.forebay.model.ManifestRef;
import dev.forebay.model.RegionName;
import dev.forebay.service.Workspace;
import dev.forebay.workflows.message.VersionStatus;
import jakarta.inject.Singleton;
import java.io.IOException;
import java.net.URI;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Consumer;

/**
 * Checks that manifests are in their bucket, and restores lost ones from copies in the regions.
 * Thread-safe.
 */
@Singleton
class ManifestCheck {

    private final Lake lake;
    private final Regions regions;
    private final ManifestCache own;
    private final Workspace workspace;

    ManifestCheck(Lake lake, Regions regions, ManifestCache own, Workspace workspace) {
        this.lake = lake;
        this.regions = regions;
        this.own = own;
        this.workspace = workspace;
    }

    /** Returns the faults of a version's stored manifest. */
    List<RepairableFinding> of(VersionStatus known) {
        ManifestRef manifest = known.manifest();
        if (manifest == null) {
            return List.of();
        }
        try {
            fetched(manifest, this::download, _ -> {});
            return List.of();
        } catch (ForebayException e) {
            return switch (e.code()) {
                case LAKE_OBJECT_CHANGED ->
                        List.of(
                                fault(
                                        Kind.MANIFEST_MISSING,
                                        known,
                                        manifest,
                                        manifest.uri() + " is gone"));
                case CORRUPT ->
                        List.of(
                                fault(
                                        Kind.MANIFEST_DAMAGED,
                                        known,
                                        manifest,
                                        String.valueOf(e.getMessage())));
                default -> throw e;
            };
        }
    }

    private RepairableFinding fault(
            Kind kind, VersionStatus known, ManifestRef manifest, String message) {
        return new RepairableFinding(
                kind,
                known.version(),
                null,
                "",
                message,
                "restores the manifest from a copy of this control plane, or of a region that "
                        + "has the version mounted",
                () -> {
                    putBack(manifest);
                    return State.REPAIRED;
                });
    }

    private void putBack(ManifestRef manifest) {
        List<Fetcher> sources = new ArrayList<>();
        if (own.isHere(manifest)) {
            sources.add(this::copy);
        }
        for (String region : regions.names()) {
            RegionName name = new RegionName(region);
            sources.add((ref, target) -> regions.manifest(name, ref.digest(), target));
        }
        List<String> why = new ArrayList<>();
        for (Fetcher source : sources) {
            try {
                fetched(manifest, source, file -> upload(manifest, file));
                return;
            } catch (ForebayException e) {
                why.add(String.valueOf(e.getMessage()));
            }
        }
        throw new ForebayException(
                ErrorCode.NOT_FOUND,
                "no control plane or region has a copy of manifest %s: restore it as %s from a backup of the bucket, or freeze another version (%s)"
                        .formatted(manifest.digest(), manifest.uri(), String.join("; ", why)));
    }

    private void copy(ManifestRef manifest, Path target) {
        try (CachedManifest copy = own.open(manifest)) {
            Files.copy(copy.file(), target);
        } catch (IOException e) {
            throw new ForebayException(ErrorCode.INTERNAL, "cannot write " + target, e);
        }
    }

    /**
     * Fetches a manifest into a temporary file, verifies it, and passes the file on.
     *
     * @throws ForebayException {@code CORRUPT} if it has another digest; as the fetcher
     */
    private void fetched(ManifestRef manifest, Fetcher fetcher, Consumer<Path> then) {
        try (Workspace.Temporary folder = workspace.temporary("manifest-");
                CachedManifest open =
                        new ManifestCache(folder.path(), Long.MAX_VALUE, fetcher).open(manifest)) {
            then.accept(open.file());
        }
    }

    private void download(ManifestRef manifest, Path target) {
        URI uri = URI.create(manifest.uri());
        lake.download(uri.getAuthority(), uri.getPath().substring(1), target);
    }

    private void upload(ManifestRef manifest, Path file) {
        URI uri = URI.create(manifest.uri());
        lake.putIfAbsent(uri.getAuthority(), uri.getPath().substring(1), file);
    }
}
