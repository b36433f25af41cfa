package dev.forebay.control.api.versions;

import dev.forebay.control.api.RequestRules;
import dev.forebay.control.api.VersionPath;
import dev.forebay.control.api.WholeNumber;
import dev.forebay.control.catalogue.VersionLookup;
import dev.forebay.control.ingest.VersionContents;
import dev.forebay.control.ingest.VersionContents.Files;
import dev.forebay.manifest.Difference;
import dev.forebay.manifest.FilePath;
import dev.forebay.manifest.FileWalk.Found;
import dev.forebay.manifest.Node;
import dev.forebay.model.DatasetVersion;
import dev.forebay.service.Role;
import io.quarkus.resteasy.reactive.server.EndpointDisabled;
import io.smallrye.common.annotation.RunOnVirtualThread;
import jakarta.validation.Valid;
import jakarta.validation.constraints.NotNull;
import jakarta.validation.constraints.Pattern;
import jakarta.validation.constraints.Size;
import jakarta.ws.rs.BeanParam;
import jakarta.ws.rs.DefaultValue;
import jakarta.ws.rs.GET;
import jakarta.ws.rs.Path;
import jakarta.ws.rs.QueryParam;
import java.time.Instant;
import java.util.List;
import org.eclipse.microprofile.openapi.annotations.Operation;
import org.eclipse.microprofile.openapi.annotations.media.Schema;
import org.eclipse.microprofile.openapi.annotations.parameters.Parameter;
import org.eclipse.microprofile.openapi.annotations.responses.APIResponse;
import org.eclipse.microprofile.openapi.annotations.tags.Tag;
import org.jspecify.annotations.Nullable;

/** The REST resource of a version's objects and of its differences from another version. */
@Path("/api/v1/datasets/{namespace}/{name}/versions/{version}")
@Tag(name = "Versions")
@RunOnVirtualThread
@EndpointDisabled(name = "forebay.role", stringValue = Role.AGENT_NAME)
class ContentsResource {

    private static final int LONGEST_PAGE = 1000;

    private static final String ABSENT =
            "NOT_FOUND: the dataset or version does not exist, or the version is not frozen";

    private final VersionContents contents;
    private final VersionLookup lookup;

    ContentsResource(VersionContents contents, VersionLookup lookup) {
        this.contents = contents;
        this.lookup = lookup;
    }

    @GET
    @Path("/objects")
    @Operation(
            summary = "List the objects of a version, by path",
            description = "Lists folder after folder. Names are sorted by their UTF-8 bytes.")
    @APIResponse(responseCode = "200", description = "Objects")
    @APIResponse(
            responseCode = "404",
            description = ABSENT + ", or the version has no files below the folder")
    @APIResponse(responseCode = "503", description = "UNAVAILABLE: its manifest is being fetched")
    public ObjectPage objects(
            @BeanParam @Valid VersionPath path,
            @QueryParam("folder")
                    @DefaultValue("")
                    @Pattern(regexp = RequestRules.FOLDER, message = RequestRules.FOLDER_RULE)
                    @Size(max = RequestRules.LONGEST_PATH, message = RequestRules.FOLDER_RULE)
                    @Parameter(description = "List only objects below this folder")
                    String folder,
            @QueryParam("limit") @DefaultValue("100") @WholeNumber(min = 1, max = LONGEST_PAGE)
                    String limit,
            @QueryParam("after")
                    @DefaultValue("")
                    @Size(max = RequestRules.LONGEST_PATH, message = RequestRules.AFTER_RULE)
                    String after) {
        DatasetVersion version = path.toVersion(lookup);
        return ObjectPage.of(
                version,
                contents.list(version, folder, new FilePath(after), Integer.parseInt(limit)));
    }

    @GET
    @Path("/diff")
    @Operation(
            summary =
                    "List objects that were added, removed or changed since another version, "
                            + "by path",
            description =
                    "An object has changed if its size, ETag or version id differs. A page also "
                            + "ends after a number of comparisons, so continue until next is null.")
    @APIResponse(responseCode = "200", description = "Differences")
    @APIResponse(responseCode = "404", description = ABSENT)
    @APIResponse(responseCode = "503", description = "UNAVAILABLE: a manifest is being fetched")
    public DifferencePage diff(
            @BeanParam @Valid VersionPath path,
            @QueryParam("from")
                    @NotNull(message = RequestRules.REQUIRED)
                    @Pattern(regexp = RequestRules.VERSION, message = RequestRules.VERSION_RULE)
                    @Parameter(description = "The version to compare with, of the same dataset")
                    String from,
            @QueryParam("limit") @DefaultValue("100") @WholeNumber(min = 1, max = LONGEST_PAGE)
                    String limit,
            @QueryParam("after")
                    @DefaultValue("")
                    @Size(max = RequestRules.LONGEST_PATH, message = RequestRules.AFTER_RULE)
                    String after) {
        DatasetVersion version = path.toVersion(lookup);
        DatasetVersion before = lookup.find(path.toDataset(), from);
        return DifferencePage.of(
                before,
                version,
                contents.compare(before, version, new FilePath(after), Integer.parseInt(limit)));
    }

    @Schema(name = "VersionObject")
    record ObjectView(
            @Schema(description = "Path below the version's root") String path,
            String key,
            long bytes,
            String etag,
            @Schema(description = "The object's version id, in a bucket with versioning, or null")
                    @Nullable String versionId,
            Instant modifiedAt) {

        static ObjectView of(Found found) {
            Node.File file = found.file();
            return new ObjectView(
                    found.path().text(),
                    file.key(),
                    file.size(),
                    file.etag(),
                    file.versionId(),
                    Instant.EPOCH.plusNanos(file.mtimeNanos()));
        }
    }

    @Schema(name = "VersionObjectPage")
    record ObjectPage(
            String dataset,
            String version,
            List<ObjectView> items,
            @Schema(
                            description =
                                    "The parameter after for the next page, or null on the last "
                                            + "page")
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
            @Schema(description = "Null for an added object") @Nullable Long bytesBefore,
            @Schema(description = "Null for a removed object") @Nullable Long bytes,
            @Schema(description = "Null for an added object") @Nullable String etagBefore,
            @Schema(description = "Null for a removed object") @Nullable String etag) {

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
            @Schema(description = "The version with which this one is compared") String from,
            String version,
            List<DifferenceView> items,
            @Schema(
                            description =
                                    "The parameter after for the next page, or null on the last "
                                            + "page. Other pages may have fewer items than the "
                                            + "limit, or none")
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
