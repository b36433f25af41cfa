package dev.forebay.agent;

import dev.forebay.model.Digest;
import dev.forebay.model.ErrorCode;
import dev.forebay.model.ForebayException;
import dev.forebay.model.PackId;
import dev.forebay.service.Role;
import dev.forebay.transfer.BlockChecksums;
import dev.forebay.transfer.WorkerProtocol;
import io.quarkus.resteasy.reactive.server.EndpointDisabled;
import io.smallrye.common.annotation.RunOnVirtualThread;
import jakarta.ws.rs.GET;
import jakarta.ws.rs.HeaderParam;
import jakarta.ws.rs.Path;
import jakarta.ws.rs.Produces;
import jakarta.ws.rs.QueryParam;
import jakarta.ws.rs.core.HttpHeaders;
import jakarta.ws.rs.core.MediaType;
import jakarta.ws.rs.core.Response;
import java.nio.ByteBuffer;
import java.util.Arrays;
import java.util.Optional;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.eclipse.microprofile.openapi.annotations.Operation;
import org.jspecify.annotations.Nullable;

/**
 * What workers of this region hold of packs, for the workers of other regions, who cannot reach
 * them: the worker protocol's read of a range, but that nothing is fetched for it.
 */
@Path("/v1/packs")
@RunOnVirtualThread
@EndpointDisabled(name = "forebay.role", stringValue = Role.CONTROL_PLANE_NAME)
class PacksResource {

    private static final int PARTIAL_CONTENT = 206;
    private static final Pattern RANGE = Pattern.compile("bytes=(\\d{1,18})-(\\d{1,18})");

    private final RegionPacks packs;

    PacksResource(RegionPacks packs) {
        this.packs = packs;
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
        Optional<ByteBuffer> held =
                packs.read(
                        new Digest(String.valueOf(manifest)),
                        PackId.parse(pack),
                        from,
                        Long.parseLong(ends.group(2)) + 1);
        ByteBuffer bytes =
                held.orElseThrow(
                        () ->
                                new ForebayException(
                                        ErrorCode.DEADLINE_EXCEEDED,
                                        "no worker of this region holds it, and none fetches it"));
        return Response.status(PARTIAL_CONTENT)
                .header(
                        HttpHeaders.CONTENT_RANGE,
                        "bytes %d-%d/*".formatted(from, from + bytes.remaining() - 1))
                .header(WorkerProtocol.CRC_HEADER, BlockChecksums.encode(bytes))
                .entity(Arrays.copyOf(bytes.array(), bytes.limit()))
                .build();
    }
}
