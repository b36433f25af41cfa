package dev.forebay.worker.http;

import static org.assertj.core.api.Assertions.assertThat;

import dev.forebay.chunkstore.ChunkStore;
import dev.forebay.chunkstore.StoreLimits;
import dev.forebay.manifest.cache.ManifestCache;
import dev.forebay.model.ErrorCode;
import dev.forebay.model.ForebayException;
import dev.forebay.transfer.BearerToken;
import dev.forebay.transfer.Source;
import dev.forebay.transfer.WorkerStatus;
import dev.forebay.worker.accounts.VersionAccounts;
import dev.forebay.worker.retention.LastReads;
import dev.forebay.worker.retention.MountedVersions;
import dev.forebay.worker.retention.StoreUsage;
import io.vertx.core.Vertx;
import io.vertx.core.http.HttpMethod;
import io.vertx.core.http.HttpServer;
import io.vertx.ext.web.Route;
import io.vertx.ext.web.Router;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Requests each route of a worker, with and without the token. */
@SuppressWarnings("NullAway") // no request here reaches the parts that are null
class WorkerRoutesTest {

    private static final String TOKEN = "a-token-of-enough-characters";

    /** A method that no operation of a worker has. */
    private static final String OTHER_METHOD = "PATCH";

    @TempDir private Path directory;

    private final Vertx vertx = Vertx.vertx();
    private final Router router = Router.router(vertx);
    private final HttpClient http = HttpClient.newHttpClient();

    private ChunkStore store;
    private HttpServer server;

    @BeforeEach
    void listen() throws Exception {
        MountedVersions versions =
                new MountedVersions(
                        new ManifestCache(directory.resolve("manifests"), 1, (ref, target) -> {}),
                        1,
                        () -> {});
        store =
                ChunkStore.open(
                        List.of(directory.resolve("store")), new StoreLimits(1, 1), _ -> false);
        LastReads reads = LastReads.open(directory.resolve("reads"), InstantSource.system());
        Path token = Files.writeString(directory.resolve("token"), TOKEN);
        new WorkerRoutes(
                        versions,
                        null,
                        null,
                        null,
                        VersionAccounts.open(directory.resolve("accounts"), versions),
                        reads,
                        new StoreUsage(store, versions, reads),
                        () -> new WorkerStatus("worker", "region", 1, 0, 0),
                        () -> {
                            throw new ForebayException(ErrorCode.UNAVAILABLE, "has not joined");
                        },
                        new WorkerRoutes.Limits(1, 1, 8, Duration.ofSeconds(1)),
                        Optional.of(BearerToken.read("forebay.token-file", token)),
                        new NoObserver())
                .register(router);
        server =
                vertx.createHttpServer()
                        .requestHandler(router)
                        .listen(0, "127.0.0.1")
                        .toCompletionStage()
                        .toCompletableFuture()
                        .get();
    }

    @AfterEach
    void close() throws Exception {
        vertx.close().toCompletionStage().toCompletableFuture().get();
        http.close();
        store.close();
    }

    @Test
    void everyOperationRequiresTheToken() throws Exception {
        List<String> wrong = new ArrayList<>();
        int operations = 0;
        for (Route route : router.getRoutes()) {
            for (HttpMethod method : methods(route)) {
                operations++;
                String request = method.name() + " " + path(route);
                for (String refused : new String[] {null, "Bearer wrong-" + TOKEN, TOKEN}) {
                    HttpResponse<String> answer = send(method.name(), path(route), refused);
                    if (answer.statusCode() != 401 || !answer.body().contains("DENIED")) {
                        wrong.add("%s with %s: %s".formatted(request, refused, answer));
                    }
                }
                HttpResponse<String> admitted = send(method.name(), path(route), "Bearer " + TOKEN);
                if (admitted.statusCode() == 401 || admitted.statusCode() == 405) {
                    wrong.add("%s with the token: %s".formatted(request, admitted));
                }
            }
        }

        assertThat(wrong).isEmpty();
        assertThat(operations).isEqualTo(12);
    }

    /** These routes do not check the token, so they must not do anything. */
    @Test
    void routesWithoutAMethodRefuseEveryRequest() throws Exception {
        for (Route route : router.getRoutes()) {
            if (methods(route).isEmpty()) {
                assertThat(send(OTHER_METHOD, path(route), null).statusCode())
                        .as(path(route))
                        .isIn(404, 405);
            }
        }
    }

    private static Set<HttpMethod> methods(Route route) {
        return route.methods() == null ? Set.of() : route.methods();
    }

    private static String path(Route route) {
        return route.getPath().replaceAll(":\\w", "x").replace("*", "x");
    }

    private HttpResponse<String> send(String method, String path, @Nullable String authorization)
            throws Exception {
        HttpRequest.Builder request =
                HttpRequest.newBuilder(URI.create("http://127.0.0.1:" + server.actualPort() + path))
                        .method(method, HttpRequest.BodyPublishers.noBody());
        if (authorization != null) {
            request.header("Authorization", authorization);
        }
        return http.send(request.build(), HttpResponse.BodyHandlers.ofString());
    }

    private static final class NoObserver implements RequestObserver {

        @Override
        public void answered(Operation operation, String outcome, long nanos) {}

        @Override
        public void served(Source source, long bytes) {}
    }
}
