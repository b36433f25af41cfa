package dev.forebay.agent.gateway;

import dev.forebay.model.Digest;
import dev.forebay.model.ErrorCode;
import dev.forebay.model.ForebayException;
import dev.forebay.model.PackId;
import dev.forebay.service.Role;
import dev.forebay.transfer.BlockChecksums;
import dev.forebay.transfer.WorkerProtocol;
import io.quarkus.resteasy.reactive.server.EndpointDisabled;
import io.quarkus.vertx.http.runtime.CurrentVertxRequest;
import io.smallrye.common.annotation.RunOnVirtualThread;
import io.vertx.ext.web.RoutingContext;
import jakarta.ws.rs.GET;
import jakarta.ws.rs.HeaderParam;
import jakarta.ws.rs.Path;
import jakarta.ws.rs.Produces;
import jakarta.ws.rs.QueryParam;
import jakarta.ws.rs.core.MediaType;
import jakarta.ws.rs.core.Response;
import java.nio.ByteBuffer;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.eclipse.microprofile.openapi.annotations.Operation;
import org.jspecify.annotations.Nullable;

/**
 * Serves ranges of packs that workers of this region hold to the workers of other regions, which
 * cannot reach them. It is the worker protocol's read of a range, and never fetches.
 */
@Path("/v1/packs")
@RunOnVirtualThread
@EndpointDisabled(name = "forebay.role", stringValue = Role.CONTROL_PLANE_NAME)
class PacksResource {

    private static final int PARTIAL_CONTENT = 206;
    private static final Pattern RANGE = Pattern.compile("bytes=(\\d{1,18})-(\\d{1,18})");

    private final RegionPacks packs;
    private final CurrentVertxRequest current;

    PacksResource(RegionPacks packs, CurrentVertxRequest current) {
        this.packs = packs;
        this.current = current;
    }

    @GET
    @Path("/{pack}")
    @Produces(MediaType.APPLICATION_OCTET_STREAM)
    @Operation(hidden = true)
    public Response read(
            String pack,
            @QueryParam(WorkerProtocol.MANIFEST_PARAMETER) @Nullable String manifest,
            @HeaderParam("Range") @Nullable String range) {
        Matcher ends = RANGE.matcher(String.valueOf(range));
        if (!ends.matches()) {
            throw new ForebayException(
                    ErrorCode.INVALID_ARGUMENT,
                    "Range is '%s'; it must have the form bytes=a-b".formatted(range));
        }
        long from = Long.parseLong(ends.group(1));
        RegionPacks.Held held =
                packs.read(
                                new Digest(String.valueOf(manifest)),
                                PackId.parse(pack),
                                from,
                                Long.parseLong(ends.group(2)) + 1)
                        .orElseThrow(PacksResource::miss);
        byte[] bytes = held.bytes();
        closeAfterwards(held, current.getCurrent());
        return Response.status(PARTIAL_CONTENT)
                .header("Content-Range", "bytes %d-%d/*".formatted(from, from + bytes.length - 1))
                .header(WorkerProtocol.CRC_HEADER, BlockChecksums.encode(ByteBuffer.wrap(bytes)))
                .entity(bytes)
                .build();
    }

    /** The bytes occupy memory until they are sent or the client has disconnected. */
    private static void closeAfterwards(RegionPacks.Held held, RoutingContext request) {
        request.addEndHandler(_ -> held.close());
        if (request.response().closed()) {
            held.close();
        }
    }

    /** Returns the error that the worker protocol maps to {@link WorkerProtocol#MISS_STATUS}. */
    private static ForebayException miss() {
        return new ForebayException(
                ErrorCode.DEADLINE_EXCEEDED,
                "no worker of this region holds it, or forebay.gateway.reads other reads are "
                        + "running; nothing is fetched");
    }
}
