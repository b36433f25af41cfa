package dev.forebay.control.api.regions;

import dev.forebay.control.api.RequestRules;
import dev.forebay.control.fsck.Finding;
import dev.forebay.control.fsck.Fsck;
import dev.forebay.control.fsck.FsckScope;
import dev.forebay.model.DatasetVersion;
import dev.forebay.model.RegionName;
import dev.forebay.service.Role;
import io.quarkus.resteasy.reactive.server.EndpointDisabled;
import io.smallrye.common.annotation.RunOnVirtualThread;
import jakarta.validation.Valid;
import jakarta.validation.constraints.Pattern;
import jakarta.validation.constraints.Size;
import jakarta.ws.rs.BeanParam;
import jakarta.ws.rs.DefaultValue;
import jakarta.ws.rs.GET;
import jakarta.ws.rs.POST;
import jakarta.ws.rs.Path;
import jakarta.ws.rs.QueryParam;
import java.util.List;
import java.util.Optional;
import org.eclipse.microprofile.openapi.annotations.Operation;
import org.eclipse.microprofile.openapi.annotations.media.Schema;
import org.eclipse.microprofile.openapi.annotations.responses.APIResponse;
import org.eclipse.microprofile.openapi.annotations.tags.Tag;
import org.jspecify.annotations.Nullable;

/** The REST resource of fsck, which compares the stores with each other. */
@Path("/api/v1/fsck")
@Tag(name = "Catalogue")
@RunOnVirtualThread
@EndpointDisabled(name = "forebay.role", stringValue = Role.AGENT_NAME)
class FsckResource {

    private static final String AWAY =
            "UNAVAILABLE or LAKE_UNAVAILABLE: PostgreSQL, Temporal or the lake does not answer";

    private final Fsck fsck;

    FsckResource(Fsck fsck) {
        this.fsck = fsck;
    }

    /**
     * The query parameters of a check.
     *
     * @param of the namespace, dataset or version to check; empty for all
     * @param deep whether to verify stored chunks, too
     */
    record FsckQuery(
            @QueryParam("of")
                    @DefaultValue("")
                    @Pattern(regexp = RequestRules.FSCK_OF, message = RequestRules.FSCK_OF_RULE)
                    String of,
            @QueryParam("deep")
                    @DefaultValue("false")
                    @Pattern(regexp = RequestRules.YES_OR_NO, message = RequestRules.YES_OR_NO_RULE)
                    String deep,
            @QueryParam("after")
                    @DefaultValue("")
                    @Size(max = RequestRules.LONGEST_PATH, message = RequestRules.AFTER_RULE)
                    String after) {}

    /** Something that one store has lost, or about which two stores disagree. */
    @Schema(name = "Finding")
    record FindingView(
            Finding.Kind code,
            @Nullable String version,
            @Nullable String region,
            @Schema(description = "The problem") String message,
            @Schema(description = "What a repair does, or what an operator must do") String remedy,
            Finding.State state,
            @Schema(description = "The reason why a repair failed, or null")
                    @Nullable String problem) {

        static FindingView of(Finding finding) {
            return new FindingView(
                    finding.kind(),
                    Optional.ofNullable(finding.version())
                            .map(DatasetVersion::toString)
                            .orElse(null),
                    Optional.ofNullable(finding.region()).map(RegionName::value).orElse(null),
                    finding.message(),
                    finding.remedy(),
                    finding.state(),
                    finding.problem());
        }
    }

    /**
     * One page of findings.
     *
     * @param checked the number of versions of the catalogue that were compared
     * @param next the value of {@code after} for the next page; null at the end
     */
    @Schema(name = "FindingPage")
    record FindingPage(int checked, List<FindingView> findings, @Nullable String next) {

        static FindingPage of(Fsck.Page page) {
            return new FindingPage(
                    page.checked(),
                    page.findings().stream().map(FindingView::of).toList(),
                    page.next());
        }
    }

    @GET
    @Operation(
            summary = "Compare catalogue, manifests, workflows and regions, page by page",
            description =
                    "Changes nothing, except that workers fetch damaged chunks again if a deep "
                            + "check finds them.")
    @APIResponse(responseCode = "200", description = "Some findings")
    @APIResponse(responseCode = "503", description = AWAY)
    public FindingPage check(@BeanParam @Valid FsckQuery query) {
        return page(query, false);
    }

    @POST
    @Operation(
            summary = "Compare as GET does, and repair the findings",
            description =
                    "Deletes no manifest and drops no pinned byte. Repairs by workflows continue "
                            + "after the response.")
    @APIResponse(
            responseCode = "200",
            description = "The findings of this page, and the result " + "of each repair")
    @APIResponse(responseCode = "503", description = AWAY)
    public FindingPage repair(@BeanParam @Valid FsckQuery query) {
        return page(query, true);
    }

    private FindingPage page(FsckQuery query, boolean repair) {
        return FindingPage.of(
                fsck.check(
                        new FsckScope(query.of()),
                        query.after(),
                        repair,
                        Boolean.parseBoolean(query.deep())));
    }
}
