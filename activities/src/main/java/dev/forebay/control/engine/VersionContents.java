package dev.forebay.control.engine;

import dev.forebay.control.ControlPlaneConfig;
import dev.forebay.control.catalogue.VersionCatalogue;
import dev.forebay.manifest.CachedManifest;
import dev.forebay.manifest.Difference;
import dev.forebay.manifest.FilePath;
import dev.forebay.manifest.FileWalk;
import dev.forebay.manifest.FileWalk.Found;
import dev.forebay.manifest.ManifestCache;
import dev.forebay.model.DatasetVersion;
import dev.forebay.model.ErrorCode;
import dev.forebay.model.ForebayException;
import jakarta.inject.Singleton;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * What is in versions, and how two of them differ, by their manifests. Safe for use by many
 * threads.
 */
@Singleton
public class VersionContents {

    /** For the manifest to be fetched, if it is not here; the next one who asks finds it. */
    private static final Duration PATIENCE = Duration.ofSeconds(20);

    private final VersionCatalogue versions;
    private final ManifestCache manifests;
    private final int looks;

    VersionContents(VersionCatalogue versions, ManifestCache manifests, ControlPlaneConfig config) {
        this.versions = versions;
        this.manifests = manifests;
        this.looks = config.comparison().objects();
    }

    /**
     * Some files of a version.
     *
     * @param next the path behind which the next page begins; null if there is none
     */
    public record Files(List<Found> items, @Nullable FilePath next) {}

    /**
     * Up to {@code limit} files, in the order of their paths.
     *
     * @param folder only those below it; empty for all
     * @param after the path behind which to begin; {@link FilePath#NONE} for the first
     * @throws ForebayException {@code NOT_FOUND} if there is no such version, it is not frozen, or
     *     it has nothing below the folder; {@code UNAVAILABLE} if its manifest is not here soon
     */
    public Files list(DatasetVersion version, String folder, FilePath after, int limit) {
        String below = folder.isEmpty() || folder.endsWith("/") ? folder : folder + "/";
        boolean isFirst = after.equals(FilePath.NONE);
        List<Found> found = new ArrayList<>();
        try (CachedManifest manifest = manifests.open(versions.manifest(version), PATIENCE)) {
            FileWalk walk = FileWalk.after(manifest, isFirst ? new FilePath(below) : after);
            while (walk.hasNext()) {
                Found each = walk.next();
                if (!each.path().text().startsWith(below)) {
                    break;
                }
                if (found.size() == limit) {
                    return new Files(found, found.getLast().path());
                }
                found.add(each);
            }
        }
        if (found.isEmpty() && isFirst && !below.isEmpty()) {
            throw new ForebayException(
                    ErrorCode.NOT_FOUND,
                    "version %s has no files below '%s': 'forebay ls %s' lists what it has"
                            .formatted(version, below, version));
        }
        return new Files(found, null);
    }

    /**
     * Up to {@code limit} files that are not the same in two versions, in the order of their paths;
     * fewer, if many are the same.
     *
     * @param after the path behind which to begin; {@link FilePath#NONE} for the first
     * @throws ForebayException {@code NOT_FOUND} if there is no such version, or it is not frozen;
     *     {@code UNAVAILABLE} if a manifest is not here soon
     */
    public Difference.Page compare(
            DatasetVersion before, DatasetVersion version, FilePath after, int limit) {
        try (CachedManifest one = manifests.open(versions.manifest(before), PATIENCE);
                CachedManifest other = manifests.open(versions.manifest(version), PATIENCE)) {
            return Difference.page(one, other, after, limit, looks);
        }
    }
}
