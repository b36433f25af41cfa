package dev.forebay.control.console;

import dev.forebay.service.Role;
import io.quarkus.resteasy.reactive.server.EndpointDisabled;
import jakarta.ws.rs.GET;
import jakarta.ws.rs.NotFoundException;
import jakarta.ws.rs.Path;
import jakarta.ws.rs.PathParam;
import jakarta.ws.rs.core.Response;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.util.Map;
import java.util.Objects;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.eclipse.microprofile.openapi.annotations.Operation;

/**
 * Serves the files of the console to any client. The files contain no data: the page reads the REST
 * API with the user's token.
 */
@Path("/console")
@EndpointDisabled(name = "forebay.role", stringValue = Role.AGENT_NAME)
class ConsoleResource {

    private static final String PAGE = "index.html";

    /**
     * The page has the user's token, so it may run scripts and send requests on its own origin
     * only.
     */
    private static final String POLICY =
            "default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self';"
                    + " base-uri 'none'; form-action 'none'; frame-ancestors 'none'";

    private static final Map<String, String> TYPES =
            Map.of("html", "text/html", "css", "text/css", "js", "text/javascript");

    private final Map<String, byte[]> files =
            Stream.of(PAGE, "console.css", "console.js", "api.js", "page.js")
                    .collect(Collectors.toUnmodifiableMap(name -> name, ConsoleResource::read));

    private static byte[] read(String name) {
        try (InputStream file = ConsoleResource.class.getResourceAsStream("/console/" + name)) {
            return Objects.requireNonNull(file, name).readAllBytes();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    @GET
    @Operation(hidden = true)
    public Response page() {
        return file(PAGE);
    }

    @GET
    @Path("/{file}")
    @Operation(hidden = true)
    public Response file(@PathParam("file") String name) {
        byte[] content = files.get(name);
        if (content == null) {
            throw new NotFoundException();
        }
        String type = TYPES.get(name.substring(name.lastIndexOf('.') + 1));
        return Response.ok(content, type + ";charset=utf-8")
                .header("Content-Security-Policy", POLICY)
                .header("X-Content-Type-Options", "nosniff")
                .header("Referrer-Policy", "no-referrer")
                .header("Cache-Control", "no-cache")
                .build();
    }
}
