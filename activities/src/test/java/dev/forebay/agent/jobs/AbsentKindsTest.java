package dev.forebay.agent.jobs;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpServer;
import dev.forebay.membership.Pin;
import dev.forebay.model.DatasetVersion;
import dev.forebay.model.ForebayException;
import io.fabric8.kubernetes.client.ConfigBuilder;
import io.fabric8.kubernetes.client.KubernetesClient;
import io.fabric8.kubernetes.client.KubernetesClientBuilder;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/**
 * Uses a fake API server that answers like a starting one: it lists no RayJobs. A real one does so
 * only for a moment that no test can time.
 */
@SuppressWarnings("NullAway.Init")
class AbsentKindsTest {

    private static final PinOwner RAY = new PinOwner("RayJob", "team", "r", "uid-ray");
    private static final PinOwner JOB = new PinOwner("Job", "team", "j", "uid-job");

    /** A pin that a client took for an unknown kind of holder. */
    private static final Pin OWN =
            new Pin(
                    DatasetVersion.parse("a/b@v1"),
                    "own",
                    "somebody",
                    "",
                    Duration.ofHours(1),
                    "uid-own");

    private final Map<String, String> served = new ConcurrentHashMap<>();
    private final AtomicLong nanos = new AtomicLong(Long.MAX_VALUE - 5);
    private HttpServer server;
    private KubernetesClient client;
    private ClusterJobs jobs;

    @BeforeEach
    void start() throws IOException {
        served.put("/apis/batch/v1/jobs", list("batch/v1", "JobList", ""));
        server = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
        server.createContext("/", this::answer);
        server.start();
        client =
                new KubernetesClientBuilder()
                        .withConfig(
                                new ConfigBuilder()
                                        .withMasterUrl(
                                                "http://127.0.0.1:" + server.getAddress().getPort())
                                        .build())
                        .build();
        jobs = new ClusterJobs(client, false, false, nanos::get);
    }

    @AfterEach
    void stop() {
        client.close();
        server.stop(0);
    }

    @Test
    void aKindThatDisappearsSuddenlyEndsNoPinThatMayBeOfIt() {
        List<Pin> all = List.of(pin(RAY), pin(JOB), OWN);
        serveRayJobs();
        assertThat(jobs.over(all)).containsExactlyInAnyOrder("uid-job", "uid-own");

        served.keySet().removeIf(path -> path.contains("ray.io"));
        assertThat(jobs.over(all)).containsExactly("uid-job");
        pass(AbsentKinds.BELIEVED_AFTER.minusNanos(1));
        assertThat(jobs.over(all)).containsExactly("uid-job");

        serveRayJobs();
        assertThat(jobs.over(all)).containsExactlyInAnyOrder("uid-job", "uid-own");
    }

    /** This happens when the conversion webhook of the kind is gone. */
    @Test
    void aKindThatCannotBeListedEndsNoPinThatMayBeOfIt() {
        serveRayJobs();
        served.remove("/apis/ray.io/v1/rayjobs");

        assertThat(jobs.over(List.of(pin(RAY), pin(JOB), OWN))).containsExactly("uid-job");
    }

    @Test
    void anUnseenKindProtectsOnlyThePinsThatNameIt() {
        assertThat(jobs.over(List.of(pin(RAY), pin(JOB)))).containsExactly("uid-job");
    }

    /** This happens when the server restarts again and again. */
    @Test
    void anAbsenceDoesNotAgeWhileTheApiServerIsDown() {
        serveRayJobs();
        assertThat(jobs.over(List.of(pin(RAY)))).isEmpty();
        served.keySet().removeIf(path -> path.contains("ray.io"));
        assertThat(jobs.over(List.of(pin(RAY)))).isEmpty();
        String all = Objects.requireNonNull(served.remove("/apis/batch/v1/jobs"));
        pass(AbsentKinds.BELIEVED_AFTER);
        assertThatExceptionOfType(ForebayException.class)
                .isThrownBy(() -> jobs.over(List.of(pin(RAY))));
        served.put("/apis/batch/v1/jobs", all);

        assertThat(jobs.over(List.of(pin(RAY)))).isEmpty();
    }

    @Test
    void aKindThatIsAbsentForLongCountsAsGone() {
        serveRayJobs();
        assertThat(jobs.over(List.of(pin(RAY)))).isEmpty();
        served.keySet().removeIf(path -> path.contains("ray.io"));
        assertThat(jobs.over(List.of(pin(RAY)))).isEmpty();

        pass(AbsentKinds.BELIEVED_AFTER.dividedBy(2));
        assertThat(jobs.over(List.of(pin(RAY)))).isEmpty();
        pass(AbsentKinds.BELIEVED_AFTER.dividedBy(2));

        assertThat(jobs.over(List.of(pin(RAY)))).containsExactly("uid-ray");
    }

    @Test
    void twoDistantChecksDoNotMakeAKindGone() {
        serveRayJobs();
        assertThat(jobs.over(List.of(pin(RAY)))).isEmpty();
        served.keySet().removeIf(path -> path.contains("ray.io"));
        assertThat(jobs.over(List.of(pin(RAY)))).isEmpty();
        pass(AbsentKinds.BELIEVED_AFTER.plusNanos(1));

        assertThat(jobs.over(List.of(pin(RAY)))).isEmpty();
    }

    private void answer(HttpExchange exchange) throws IOException {
        String answer = served.get(exchange.getRequestURI().getPath());
        byte[] body = (answer == null ? "404 page not found" : answer).getBytes(UTF_8);
        exchange.getResponseHeaders().set("Content-Type", "application/json");
        exchange.sendResponseHeaders(answer == null ? 404 : 200, body.length);
        try (exchange) {
            exchange.getResponseBody().write(body);
        }
    }

    private void serveRayJobs() {
        served.put(
                "/apis/ray.io",
                """
                {"kind": "APIGroup", "apiVersion": "v1", "name": "ray.io",
                 "versions": [{"groupVersion": "ray.io/v1", "version": "v1"}]}
                """);
        served.put(
                "/apis/ray.io/v1",
                """
                {"kind": "APIResourceList", "apiVersion": "v1", "groupVersion": "ray.io/v1",
                 "resources": [{"name": "rayjobs", "kind": "RayJob", "namespaced": true}]}
                """);
        served.put(
                "/apis/ray.io/v1/rayjobs",
                list(
                        "ray.io/v1",
                        "RayJobList",
                        """
                        {"apiVersion": "ray.io/v1", "kind": "RayJob",
                         "metadata": {"name": "r", "namespace": "team", "uid": "uid-ray"}}
                        """));
    }

    private static String list(String version, String kind, String items) {
        return """
               {"apiVersion": "%s", "kind": "%s", "metadata": {}, "items": [%s]}
               """
                .formatted(version, kind, items);
    }

    private void pass(Duration time) {
        nanos.addAndGet(time.toNanos());
    }

    private static Pin pin(PinOwner holder) {
        return new Pin(
                DatasetVersion.parse("a/b@v1"),
                holder.pinId(),
                holder.toString(),
                "",
                Duration.ofHours(1),
                holder.uid());
    }
}
