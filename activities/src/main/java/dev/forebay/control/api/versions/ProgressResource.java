package dev.forebay.control.api.versions;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.ObjectMapper;
import dev.forebay.control.api.VersionPath;
import dev.forebay.control.catalogue.VersionLookup;
import dev.forebay.control.config.ControlPlaneConfig;
import dev.forebay.control.progress.ProgressFeeds;
import dev.forebay.control.progress.VersionProgress;
import dev.forebay.model.DatasetVersion;
import dev.forebay.service.Role;
import io.quarkus.resteasy.reactive.server.EndpointDisabled;
import io.smallrye.common.annotation.RunOnVirtualThread;
import jakarta.validation.Valid;
import jakarta.ws.rs.BeanParam;
import jakarta.ws.rs.GET;
import jakarta.ws.rs.HeaderParam;
import jakarta.ws.rs.Path;
import jakarta.ws.rs.Produces;
import jakarta.ws.rs.core.Context;
import jakarta.ws.rs.core.MediaType;
import jakarta.ws.rs.sse.OutboundSseEvent;
import jakarta.ws.rs.sse.Sse;
import jakarta.ws.rs.sse.SseEventSink;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.List;
import java.util.UUID;
import java.util.concurrent.CompletionException;
import org.eclipse.microprofile.openapi.annotations.Operation;
import org.eclipse.microprofile.openapi.annotations.media.Content;
import org.eclipse.microprofile.openapi.annotations.media.Schema;
import org.eclipse.microprofile.openapi.annotations.responses.APIResponse;
import org.eclipse.microprofile.openapi.annotations.tags.Tag;
import org.jspecify.annotations.Nullable;

/** The REST resource that streams the progress of a version as server-sent events. */
@Path("/api/v1/datasets/{namespace}/{name}/versions/{version}/progress")
@Tag(name = "Versions")
@RunOnVirtualThread
@EndpointDisabled(name = "forebay.role", stringValue = Role.AGENT_NAME)
class ProgressResource {

    /**
     * The interval of empty comments in a stream without events, because proxies close idle
     * connections.
     */
    private static final Duration SILENCE = Duration.ofSeconds(15);

    private final ProgressFeeds feeds;
    private final VersionLookup lookup;
    private final ObjectMapper json;
    private final Duration interval;

    ProgressResource(
            ProgressFeeds feeds,
            VersionLookup lookup,
            ObjectMapper json,
            ControlPlaneConfig config) {
        this.feeds = feeds;
        this.lookup = lookup;
        this.json = json;
        this.interval = config.progress().interval();
    }

    @GET
    @Produces(MediaType.SERVER_SENT_EVENTS)
    @Operation(
            summary = "Follow the progress of a version in its regions",
            description =
                    """
                    Sends server-sent events: `progress` after each change, and `end` when the version's \
                    workflow reports that no region is WARMING or EVICTING. Each event has the complete progress, so a client that reconnects misses nothing. With Last-Event-ID \
                    the server does not repeat the event that the client has.""")
    @APIResponse(
            responseCode = "200",
            description = "Events",
            content =
                    @Content(
                            mediaType = MediaType.SERVER_SENT_EVENTS,
                            schema = @Schema(implementation = VersionProgressView.class)))
    @APIResponse(
            responseCode = "404",
            description = "NOT_FOUND: no such dataset, or no client has ever requested the version")
    public void follow(
            @BeanParam @Valid VersionPath path,
            @HeaderParam("Last-Event-ID") @Nullable String lastEventId,
            @Context SseEventSink sink,
            @Context Sse sse) {
        DatasetVersion version = path.toVersion(lookup);
        try (ProgressFeeds.Follower follower = feeds.follow(version)) {
            // A failure here is answered with a problem document. A later failure ends the stream.
            VersionProgress first = feeds.fresh(version);
            try (sink) {
                follow(follower, first, lastEventId, sink, sse);
            } catch (CompletionException gone) {
                return; // the client has disconnected
            }
        }
    }

    private void follow(
            ProgressFeeds.Follower follower,
            VersionProgress first,
            @Nullable String lastEventId,
            SseEventSink sink,
            Sse sse) {
        VersionProgress now = first;
        String said = lastEventId == null ? "" : lastEventId;
        Duration silent = Duration.ZERO;
        while (!sink.isClosed()) {
            boolean isOver = !now.isMoving();
            String data = written(now);
            String id = UUID.nameUUIDFromBytes(data.getBytes(StandardCharsets.UTF_8)).toString();
            if (isOver || !id.equals(said)) {
                send(sink, event(sse, isOver ? "end" : "progress", id, data));
                said = id;
                silent = Duration.ZERO;
            } else if (silent.compareTo(SILENCE) >= 0) {
                send(sink, sse.newEventBuilder().comment("").build());
                silent = Duration.ZERO;
            }
            if (isOver || !pause()) {
                return;
            }
            silent = silent.plus(interval);
            now = follower.now();
        }
    }

    private boolean pause() {
        try {
            Thread.sleep(interval);
            return true;
        } catch (InterruptedException stopping) {
            Thread.currentThread().interrupt();
            return false;
        }
    }

    private static void send(SseEventSink sink, OutboundSseEvent event) {
        sink.send(event).toCompletableFuture().join();
    }

    private static OutboundSseEvent event(Sse sse, String name, String id, String data) {
        return sse.newEventBuilder().name(name).id(id).data(data).build();
    }

    private String written(VersionProgress progress) {
        try {
            return json.writeValueAsString(VersionProgressView.of(progress));
        } catch (JsonProcessingException e) {
            throw new IllegalStateException("a progress is always JSON", e);
        }
    }

    @Schema(name = "VersionProgress")
    record VersionProgressView(String dataset, String version, List<ProgressView> regions) {

        static VersionProgressView of(VersionProgress progress) {
            return new VersionProgressView(
                    progress.version().dataset().toString(),
                    progress.version().version(),
                    progress.regions().stream().map(ProgressView::of).toList());
        }
    }
}
