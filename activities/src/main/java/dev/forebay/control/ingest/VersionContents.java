package dev.forebay.control.ingest;

import dev.forebay.control.catalogue.VersionCatalogue;
import dev.forebay.control.config.ControlPlaneConfig;
import dev.forebay.manifest.Difference;
import dev.forebay.manifest.FilePath;
import dev.forebay.manifest.FileWalk;
import dev.forebay.manifest.FileWalk.Found;
import dev.forebay.manifest.cache.CachedManifest;
import dev.forebay.manifest.cache.ManifestCache;
import dev.forebay.model.DatasetVersion;
import dev.forebay.model.ErrorCode;
import dev.forebay.model.ForebayException;
import jakarta.inject.Singleton;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** Lists the files of versions and compares versions, by their manifests. Thread-safe. */
@Singleton
public class VersionContents {

    /**
     * How long a request waits for a manifest that is not cached here. A later request finds it.
     */
    private static final Duration TIMEOUT = Duration.ofSeconds(20);

    private final VersionCatalogue versions;
    private final ManifestCache manifests;
    private final int looks;

    VersionContents(VersionCatalogue versions, ManifestCache manifests, ControlPlaneConfig config) {
        this.versions = versions;
        this.manifests = manifests;
        this.looks = config.comparison().objects();
    }

    /**
     * One page of files.
     *
     * @param next the path after which the next page begins; null at the end
     */
    public record Files(List<Found> items, @Nullable FilePath next) {}

    /**
     * Returns up to {@code limit} files, ordered by path.
     *
     * @param folder only files below it; empty for all
     * @param after the path after which to begin; {@link FilePath#NONE} for the first page
     * @throws ForebayException {@code NOT_FOUND} if there is no such version, it is not frozen, or
     *     it has nothing below the folder; {@code UNAVAILABLE} if its manifest is not available in
     *     time
     */
    public Files list(DatasetVersion version, String folder, FilePath after, int limit) {
        String below = folder.isEmpty() || folder.endsWith("/") ? folder : folder + "/";
        boolean isFirst = after.equals(FilePath.NONE);
        List<Found> found = new ArrayList<>();
        try (CachedManifest manifest = manifests.open(versions.manifest(version), TIMEOUT)) {
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
     * Returns up to {@code limit} files that differ between two versions, ordered by path. May
     * return fewer if many are equal.
     *
     * @param after the path after which to begin; {@link FilePath#NONE} for the first page
     * @throws ForebayException {@code NOT_FOUND} if there is no such version, or it is not frozen;
     *     {@code UNAVAILABLE} if a manifest is not available in time
     */
    public Difference.Page compare(
            DatasetVersion before, DatasetVersion version, FilePath after, int limit) {
        try (CachedManifest one = manifests.open(versions.manifest(before), TIMEOUT);
                CachedManifest other = manifests.open(versions.manifest(version), TIMEOUT)) {
            return Difference.page(one, other, after, limit, looks);
        }
    }
}
