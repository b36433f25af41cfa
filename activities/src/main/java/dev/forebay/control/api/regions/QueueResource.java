package dev.forebay.control.api.regions;

import dev.forebay.control.api.RequestRules;
import dev.forebay.control.planning.AdmissionQueue;
import dev.forebay.control.regions.Regions;
import dev.forebay.service.Role;
import io.quarkus.resteasy.reactive.server.EndpointDisabled;
import io.smallrye.common.annotation.RunOnVirtualThread;
import jakarta.validation.constraints.Pattern;
import jakarta.ws.rs.GET;
import jakarta.ws.rs.Path;
import jakarta.ws.rs.PathParam;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import org.eclipse.microprofile.openapi.annotations.Operation;
import org.eclipse.microprofile.openapi.annotations.media.Schema;
import org.eclipse.microprofile.openapi.annotations.responses.APIResponse;
import org.eclipse.microprofile.openapi.annotations.tags.Tag;
import org.jspecify.annotations.Nullable;

/** The REST resource of the queue for capacity in a region. */
@Path("/api/v1/regions/{region}/queue")
@Tag(name = "Regions")
@RunOnVirtualThread
@EndpointDisabled(name = "forebay.role", stringValue = Role.AGENT_NAME)
class QueueResource {

    private final AdmissionQueue queue;
    private final Regions regions;

    QueueResource(AdmissionQueue queue, Regions regions) {
        this.queue = queue;
        this.regions = regions;
    }

    @GET
    @Operation(summary = "List the queue of versions that wait for space in a region, with reasons")
    @APIResponse(responseCode = "200", description = "The queue")
    @APIResponse(
            responseCode = "503",
            description = "UNAVAILABLE: the region's agent does not " + "answer")
    public QueuePage list(
            @PathParam("region")
                    @Pattern(regexp = RequestRules.REGION, message = RequestRules.REGION_RULE)
                    String region) {
        List<QueuedView> items = new ArrayList<>();
        int position = 0;
        for (AdmissionQueue.Waiting waiting : queue.of(regions.require(region))) {
            position += waiting.inTurn() ? 1 : 0;
            items.add(QueuedView.of(waiting, position));
        }
        return new QueuePage(items, null);
    }

    @Schema(name = "Queued", description = "A version that waits for space")
    record QueuedView(
            @Schema(
                            description =
                                    "Position in the queue, from 1. Null if the version waits "
                                            + "for a quota or for a missing worker, so that "
                                            + "later versions can pass it")
                    @Nullable Integer position,
            String dataset,
            String version,
            @Schema(description = "The additional space that it needs, in bytes") long bytes,
            @Schema(enumeration = {"interactive", "speculative"}) String priority,
            Instant since,
            String reason,
            @Schema(
                            description =
                                    "When the pins end that prevent the necessary evictions, "
                                            + "unless they are renewed. Null if it does not wait "
                                            + "for pins, or if unknown")
                    @Nullable Instant notBefore) {

        static QueuedView of(AdmissionQueue.Waiting waiting, int position) {
            return new QueuedView(
                    waiting.inTurn() ? position : null,
                    waiting.version().dataset().toString(),
                    waiting.version().version(),
                    waiting.bytes(),
                    waiting.interactive() ? "interactive" : "speculative",
                    waiting.since(),
                    waiting.reason(),
                    waiting.notBefore());
        }
    }

    @Schema(name = "QueuePage")
    record QueuePage(List<QueuedView> items, @Nullable String next) {}
}
