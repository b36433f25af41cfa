package dev.forebay.control.api.versions;

import dev.forebay.control.ingest.VersionContents.Files;
import dev.forebay.manifest.Difference;
import dev.forebay.manifest.FilePath;
import dev.forebay.manifest.FileWalk.Found;
import dev.forebay.manifest.Node;
import dev.forebay.model.DatasetVersion;
import java.time.Instant;
import java.util.List;
import org.eclipse.microprofile.openapi.annotations.media.Schema;
import org.jspecify.annotations.Nullable;

/** The response bodies about the contents of versions. */
final class ContentViews {

    private static final long NANOS = 1_000_000_000L;

    private ContentViews() {}

    @Schema(name = "VersionObject")
    record ObjectView(
            @Schema(description = "Below the version's root") String path,
            String key,
            long bytes,
            String etag,
            @Schema(description = "In a bucket with versioning") @Nullable String versionId,
            Instant modifiedAt) {

        static ObjectView of(Found found) {
            Node.File file = found.file();
            return new ObjectView(
                    found.path().text(),
                    file.key(),
                    file.size(),
                    file.etag(),
                    file.versionId(),
                    Instant.ofEpochSecond(
                            Math.floorDiv(file.mtimeNanos(), NANOS),
                            Math.floorMod(file.mtimeNanos(), NANOS)));
        }
    }

    @Schema(name = "VersionObjectPage")
    record ObjectPage(
            String dataset,
            String version,
            List<ObjectView> items,
            @Schema(description = "The after of the next page; null if this is the last")
                    @Nullable String next) {

        static ObjectPage of(DatasetVersion version, Files files) {
            return new ObjectPage(
                    version.dataset().toString(),
                    version.version(),
                    files.items().stream().map(ObjectView::of).toList(),
                    text(files.next()));
        }
    }

    @Schema(name = "Difference")
    record DifferenceView(
            @Schema(enumeration = {"added", "removed", "changed"}) String change,
            String path,
            @Schema(description = "Null if it was added") @Nullable Long bytesBefore,
            @Schema(description = "Null if it was removed") @Nullable Long bytes,
            @Schema(description = "Null if it was added") @Nullable String etagBefore,
            @Schema(description = "Null if it was removed") @Nullable String etag) {

        static DifferenceView of(Difference difference) {
            Node.File before = difference.before();
            Node.File after = difference.after();
            return new DifferenceView(
                    before == null ? "added" : after == null ? "removed" : "changed",
                    difference.path().text(),
                    before == null ? null : Long.valueOf(before.size()),
                    after == null ? null : Long.valueOf(after.size()),
                    before == null ? null : before.etag(),
                    after == null ? null : after.etag());
        }
    }

    @Schema(name = "DifferencePage")
    record DifferencePage(
            String dataset,
            @Schema(description = "The version that is compared with") String from,
            String version,
            List<DifferenceView> items,
            @Schema(
                            description =
                                    "The after of the next page; null if this is the last. A page that is not the last may have fewer items than the limit, or none")
                    @Nullable String next) {

        static DifferencePage of(
                DatasetVersion from, DatasetVersion version, Difference.Page page) {
            return new DifferencePage(
                    version.dataset().toString(),
                    from.version(),
                    version.version(),
                    page.items().stream().map(DifferenceView::of).toList(),
                    text(page.next()));
        }
    }

    private static @Nullable String text(@Nullable FilePath path) {
        return path == null ? null : path.text();
    }
}
