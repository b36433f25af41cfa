package dev.forebay.control;

import static dev.forebay.control.TestControlPlane.AWAY;
import static dev.forebay.control.TestControlPlane.REGION;
import static dev.forebay.control.TestControlPlane.version;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import dev.forebay.devstack.fault.FaultProxy;
import dev.forebay.devstack.kubernetes.KubernetesCluster;
import dev.forebay.operator.DatasetResource;
import dev.forebay.operator.DatasetSpec;
import dev.forebay.operator.DatasetStatus;
import dev.forebay.testing.Api;
import dev.forebay.testing.ApplicationProcess;
import dev.forebay.testing.Await;
import dev.forebay.testing.ChartedAccount;
import io.fabric8.kubernetes.api.model.Event;
import io.fabric8.kubernetes.api.model.NamespaceBuilder;
import io.fabric8.kubernetes.api.model.ObjectMetaBuilder;
import io.fabric8.kubernetes.client.KubernetesClientException;
import io.fabric8.kubernetes.client.dsl.MixedOperation;
import io.fabric8.kubernetes.client.dsl.Resource;
import io.fabric8.kubernetes.client.dsl.base.PatchContext;
import io.fabric8.kubernetes.client.dsl.base.PatchType;
import io.fabric8.kubernetes.client.http.HttpClient;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.Random;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.TimeUnit;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * "Declared datasets" on a real API server, with two replicas of a control plane that have the
 * permissions of the chart.
 */
@SuppressWarnings("NullAway.Init")
class DatasetResourcesKubeIT {

    private static final String NAMESPACE = "team";
    private static final int MOVES = 60;
    private static final Duration RELEASE_TIMEOUT = Duration.ofSeconds(15);

    /**
     * The Lease of a dead replica ends after 15 s. Temporal retries its workflow tasks after 10 s
     * and its activities after 20 s, and several steps may be affected.
     */
    private static final Duration TAKEOVER = Duration.ofMinutes(2);

    private static final TestControlPlane PLATFORM = TestControlPlane.shared();
    private static final Api API = PLATFORM.api;

    @TempDir private static Path directory;

    private static KubernetesCluster cluster;
    private static List<ApplicationProcess> replicas;

    /** One replica reaches the other one through this proxy, as through a Service. */
    private static FaultProxy service;

    @BeforeAll
    static void start() throws Exception {
        cluster = KubernetesCluster.start(directory.resolve("cluster"));
        Path kubeconfig =
                ChartedAccount.install(
                        cluster,
                        directory,
                        "control-plane",
                        "--show-only=templates/control-plane/datasets.yaml",
                        "--set=controlPlane.enabled=true",
                        "--set=controlPlane.datasets.enabled=true",
                        "--set=controlPlane.manifestBucket=forebay",
                        "--set=controlPlane.database.url=jdbc:postgresql://pg:5432/forebay",
                        "--set=controlPlane.database.secret=database");
        Await.until("the definition is in use", DatasetResourcesKubeIT::isServed);
        cluster.client()
                .resource(
                        new NamespaceBuilder()
                                .withNewMetadata()
                                .withName(NAMESPACE)
                                .endMetadata()
                                .build())
                .create();
        Map<String, String> settings =
                Map.of(
                        "forebay.datasets.watch", "true",
                        "forebay.datasets.interval", "2S",
                        "forebay.datasets.release-timeout", RELEASE_TIMEOUT.toString(),
                        "forebay.requests.eviction-wait", "2S");
        Map<String, String> environment = Map.of("KUBECONFIG", kubeconfig.toString());
        service = FaultProxy.before(PLATFORM.process.address());
        Map<String, String> elsewhere = new HashMap<>(settings);
        elsewhere.put("forebay.datasets.api", service.endpoint().toString());
        replicas =
                List.of(
                        PLATFORM.replica("one", settings, environment),
                        PLATFORM.replica("two", elsewhere, environment));
    }

    @AfterAll
    static void stop() {
        replicas.forEach(ApplicationProcess::close);
        service.close();
        cluster.close();
    }

    private static boolean isServed() {
        var definition =
                cluster.client()
                        .apiextensions()
                        .v1()
                        .customResourceDefinitions()
                        .withName("datasets.forebay.dev")
                        .get();
        return definition != null
                && definition.getStatus() != null
                && definition.getStatus().getConditions().stream()
                        .anyMatch(
                                it ->
                                        it.getType().equals("Established")
                                                && it.getStatus().equals("True"));
    }

    private static MixedOperation<DatasetResource, ?, Resource<DatasetResource>> all() {
        return cluster.client().resources(DatasetResource.class);
    }

    private static Resource<DatasetResource> named(String name) {
        return all().inNamespace(NAMESPACE).withName(name);
    }

    private static DatasetResource resource(String name, DatasetSpec spec) {
        DatasetResource resource = new DatasetResource();
        resource.setMetadata(
                new ObjectMetaBuilder().withNamespace(NAMESPACE).withName(name).build());
        resource.setSpec(spec);
        return resource;
    }

    private static DatasetSpec spec(
            String name,
            String version,
            DatasetSpec.@Nullable Tracking tracking,
            List<String> regions) {
        return new DatasetSpec(
                new DatasetSpec.Source("s3://lake/" + name + "/", null, null, null),
                tracking,
                version,
                regions,
                null,
                null,
                null,
                true);
    }

    private static String declare(String name, DatasetSpec spec) {
        DatasetResource there = named(name).get();
        if (there == null) {
            return cluster.client().resource(resource(name, spec)).create().getMetadata().getUid();
        }
        // Replaces the spec only, because the status may have changed meanwhile.
        return named(name)
                .patch(
                        PatchContext.of(PatchType.JSON),
                        cluster.client()
                                .getKubernetesSerialization()
                                .asJson(
                                        List.of(
                                                Map.of(
                                                        "op", "replace", "path", "/spec", "value",
                                                        spec))))
                .getMetadata()
                .getUid();
    }

    private static DatasetStatus status(String name) {
        DatasetResource there = named(name).get();
        return there == null || there.getStatus() == null
                ? new DatasetStatus(null, null, null, null, null, null, null, null, null, null)
                : there.getStatus();
    }

    /** Returns the pins of resources of this name in the region, each as version and id. */
    private static Set<String> pins(String name) {
        return PLATFORM.region.pins().stream()
                .filter(it -> it.startsWith("team/" + name + "@"))
                .collect(Collectors.toCollection(TreeSet::new));
    }

    private static Set<String> events(String name) {
        return cluster.client().v1().events().inNamespace(NAMESPACE).list().getItems().stream()
                .filter(it -> it.getInvolvedObject().getName().equals(name))
                .map(Event::getReason)
                .collect(Collectors.toCollection(TreeSet::new));
    }

    /** Returns the cells of the resource's row, as kubectl gets them. */
    private static List<String> printed(String name) throws Exception {
        HttpClient http = cluster.client().getHttpClient();
        String table =
                http.sendAsync(
                                http.newHttpRequestBuilder()
                                        .uri(
                                                "%s/apis/forebay.dev/v1alpha1/namespaces/%s/datasets/%s"
                                                        .formatted(
                                                                cluster.apiServer().address(),
                                                                NAMESPACE,
                                                                name))
                                        .header(
                                                "Accept",
                                                "application/json;as=Table;v=v1;g=meta.k8s.io")
                                        .build(),
                                String.class)
                        .get(30, TimeUnit.SECONDS)
                        .body();
        List<String> cells = new ArrayList<>();
        new ObjectMapper()
                .readTree(table)
                .at("/rows/0/cells")
                .forEach(it -> cells.add(it.asText("")));
        return cells;
    }

    private static void awaitGone(String name) {
        Await.until(name + " goes", () -> named(name).get() == null);
    }

    @Test
    void aResourceFillsAndPinsTheVersionThatItsSpecNames() throws Exception {
        String name = "moved";
        PLATFORM.put(name + "/a.txt", "first");
        String uid = declare(name, spec(name, "v1", null, List.of(REGION)));

        Await.until("v1 is warm", () -> "Cached".equals(status(name).state()));
        DatasetStatus status = status(name);
        assertThat(status.warm()).isEqualTo("1/1");
        assertThat(status.version()).isEqualTo("v1");
        assertThat(status.objects()).isEqualTo(1);
        assertThat(status.frozenAt()).isNotNull();
        assertThat(status.heldBy()).isNull();
        assertThat(pins(name)).containsExactly("team/moved@v1/dataset-" + uid);
        Await.until("an event reports it", () -> events(name).contains("Cached"));
        assertThat(printed(name)).startsWith(name, "Cached", "1/1", "", "v1");

        API.post(
                version(name, "v1") + "/pins",
                """
                {"region":"%s","holder":"job train-7","lease_seconds":600,"id":"alive-7"}"""
                        .formatted(REGION));
        Await.until(
                "the status shows the pin owner",
                () -> "job train-7".equals(status(name).heldBy()));
        API.delete(version(name, "v1") + "/pins/alive-7?region=" + REGION);

        declare(name, spec(name, "v2", null, List.of(REGION)));
        Await.until(
                "only v2 is pinned",
                () -> pins(name).equals(Set.of("team/moved@v2/dataset-" + uid)));
        Await.until("v2 is warm", () -> "v2".equals(status(name).version()));

        declare(name, spec(name, "v2", null, List.of()));
        Await.until("nothing is pinned", () -> pins(name).isEmpty());
        Await.until("the status lists no region", () -> status(name).regions().isEmpty());

        named(name).delete();
        awaitGone(name);
        assertThat(API.get("/datasets/team/" + name).body().get("deleted_at").isTextual()).isTrue();
    }

    @Test
    void aResourceWithAMistypedVersionKeepsThePreviousPin() {
        String name = "mistyped";
        PLATFORM.put(name + "/a.txt", "first");
        String uid = declare(name, spec(name, "v1", null, List.of(REGION)));
        Await.until("v1 is warm", () -> "Cached".equals(status(name).state()));
        DatasetSpec plain = spec(name, "v1-typo", null, List.of(REGION));
        declare(
                name,
                new DatasetSpec(
                        plain.source(),
                        null,
                        plain.version(),
                        plain.regions(),
                        null,
                        null,
                        null,
                        null));

        Await.until(
                "the condition names the nearest version",
                () ->
                        message(name, "Warm")
                                .contains("has no version 'v1-typo'; similar names are v1"));
        assertThat(pins(name)).containsExactly("team/mistyped@v1/dataset-" + uid);

        declare(name, plain);
        Await.until(
                "the version is created on request",
                () -> pins(name).equals(Set.of("team/mistyped@v1-typo/dataset-" + uid)));
        named(name).delete();
        awaitGone(name);
    }

    @Test
    void deletingAResourceCancelsItsFill() {
        String name = "hasty";
        PLATFORM.put(name + "/a.txt", "first");
        PLATFORM.region.shut();
        try {
            declare(name, spec(name, "v1", null, List.of(REGION)));
            Await.until("it is filled", () -> "Warming".equals(status(name).state()));
            assertThat(status(name).warm()).isEqualTo("0/1");

            named(name).delete();
            awaitGone(name);
        } finally {
            PLATFORM.region.open();
        }
        Await.until(
                "its fill was stopped",
                () ->
                        API.get(version(name, "v1")).body().at("/regions/0/state").isMissingNode()
                                || API.get(version(name, "v1"))
                                        .body()
                                        .at("/regions/0/state")
                                        .asText()
                                        .equals("ABSENT"));
        assertThat(pins(name)).isEmpty();
    }

    @Test
    void aResourceReportsThatItsNameIsTaken() {
        String name = PLATFORM.dataset(3600);
        DatasetSpec spec =
                new DatasetSpec(
                        new DatasetSpec.Source("s3://lake/another/", null, null, null),
                        null,
                        null,
                        null,
                        null,
                        null,
                        null,
                        null);

        declare(name, spec);

        Await.until("refused", () -> "AlreadyExists".equals(status(name).state()));
        assertThat(status(name).conditions().getFirst().message()).contains("has the source");
        named(name).delete();
        awaitGone(name);
        assertThat(API.get("/datasets/team/" + name).body().get("deleted_at").isNull())
                .as("another owner registered the dataset")
                .isTrue();
    }

    @Test
    void aResourceThatCannotReleaseItsPinDisappearsAfterTheTimeout() {
        String name = "stuck";
        PLATFORM.put(name + "/a.txt", "first");
        declare(name, spec(name, "v1", null, List.of(AWAY)));
        Await.until("the status lists the region", () -> status(name).regions().size() == 1);
        Await.until(
                "the region was requested",
                () -> API.get(version(name, "v1")).body().at("/regions/0/region").isTextual());

        long deleted = System.nanoTime();
        named(name).delete();

        Await.until("the state is Releasing", () -> "Releasing".equals(status(name).state()));
        assertThat(events(name)).doesNotContain("ReleaseGivenUp");
        awaitGone(name);
        // The timeout has a resolution of one second.
        assertThat(Duration.ofNanos(System.nanoTime() - deleted))
                .as("the duration of the attempts")
                .isGreaterThan(RELEASE_TIMEOUT.minusSeconds(1));
        Await.until("an event reports it", () -> events(name).contains("ReleaseGivenUp"));
    }

    @Test
    void aConditionReportsTheFieldAndValueThatTheApiRefuses() {
        PLATFORM.put("odd/a.txt", "first");
        declare(
                "odd",
                new DatasetSpec(
                        new DatasetSpec.Source("s3://lake/odd/", List.of("a//b"), null, null),
                        null,
                        null,
                        null,
                        null,
                        null,
                        null,
                        null));
        declare("elsewhere", spec("odd", "v1", null, List.of("mars")));

        Await.until(
                "a pattern is refused",
                () ->
                        message("odd", "Accepted")
                                .startsWith("include 'a//b' must be relative to the prefix"));
        Await.until(
                "a region is refused",
                () ->
                        message("elsewhere", "Warm")
                                .contains("region 'mars' is not one of this installation"));
        for (String name : List.of("odd", "elsewhere")) {
            named(name).delete();
            awaitGone(name);
            assertThat(events(name)).doesNotContain("ReleaseGivenUp");
        }
    }

    private static String message(String name, String condition) {
        return status(name).conditions().stream()
                .filter(it -> it.type().equals(condition) && it.status().equals("False"))
                .map(DatasetStatus.Condition::message)
                .findFirst()
                .orElse("");
    }

    @Test
    void aTimeToLiveCanBeChanged() {
        String name = "lived";
        PLATFORM.put(name + "/a.txt", "first");
        for (long ttl : new long[] {60, 120}) {
            DatasetSpec plain = spec(name, "v1", null, List.of());
            declare(
                    name,
                    new DatasetSpec(
                            plain.source(), null, "v1", List.of(), ttl, "read", null, null));
            Await.until(
                    "it lives for " + ttl,
                    () ->
                            API.get("/datasets/team/" + name).body().path("ttl_seconds").asLong()
                                    == ttl);
        }
        assertThat(API.get("/datasets/team/" + name).text("ttl_after")).isEqualTo("read");
        named(name).delete();
        awaitGone(name);
    }

    @Test
    void theCustomResourceDefinitionRefusesInvalidResources() {
        DatasetSpec good = spec("ruled", "v1", null, List.of());
        declare("ruled", good);

        assertRefused(
                () -> declare("ruled", spec("other", "v1", null, List.of())),
                "source of a dataset never changes");
        assertRefused(
                () -> declare("a".repeat(64), good), "the name must have at most 63 characters");
        assertRefused(() -> declare("rules", spec("r", "v 1", null, List.of())), "spec.version");
        assertRefused(
                () -> declare("rules", spec("r", "v1", null, List.of("a", "a"))),
                "Duplicate value");
        assertRefused(
                () ->
                        declare(
                                "rules",
                                spec("r", "v1", new DatasetSpec.Tracking(1L, null), List.of())),
                "spec.tracking.intervalSeconds");
        named("ruled").delete();
        awaitGone("ruled");
    }

    private static void assertRefused(Runnable what, String message) {
        assertThatExceptionOfType(KubernetesClientException.class)
                .isThrownBy(what::run)
                .withMessageContaining(message);
    }

    /** The declared resource of a name. */
    private record Wanted(String uid, DatasetSpec spec) {}

    /**
     * Creates and deletes resources, also under the same names, while replicas are killed and
     * restarted.
     */
    @Test
    void replicasConvergeToTheDeclaredStateDespiteCrashes() {
        long seed = System.nanoTime();
        System.out.println("seed " + seed);
        Random random = new Random(seed);
        List<String> names = List.of("r0", "r1", "r2", "r3", "r4");
        names.forEach(name -> PLATFORM.put(name + "/a.txt", "first"));
        Map<String, Wanted> wanted = new HashMap<>();

        for (int i = 0; i < MOVES; i++) {
            String name = names.get(random.nextInt(names.size()));
            switch (random.nextInt(10)) {
                case 0, 1 -> turn(replicas.get(random.nextInt(replicas.size())));
                case 2, 3 -> {
                    named(name).delete();
                    wanted.remove(name);
                }
                case 4 -> PLATFORM.put(name + "/a.txt", "content " + random.nextInt());
                default -> {
                    DatasetSpec spec = any(name, random);
                    wanted.put(name, new Wanted(declareAnew(name, spec, wanted), spec));
                }
            }
        }
        replicas.stream().filter(it -> !it.isAlive()).forEach(ApplicationProcess::restart);

        for (String name : names) {
            Await.until(
                    "%s is as declared: %s; seed %d".formatted(name, wanted.get(name), seed),
                    () -> isAsDeclared(name, Optional.ofNullable(wanted.get(name))));
        }
        names.forEach(name -> named(name).delete());
        names.forEach(DatasetResourcesKubeIT::awaitGone);
        Await.until("nothing is pinned", () -> names.stream().allMatch(it -> pins(it).isEmpty()));
    }

    private static void turn(ApplicationProcess replica) {
        if (replica.isAlive()) {
            replica.kill9();
        } else {
            replica.restart();
        }
    }

    private static DatasetSpec any(String name, Random random) {
        DatasetSpec.Tracking tracking =
                random.nextBoolean() ? new DatasetSpec.Tracking(10L, null) : null;
        String version =
                tracking != null && random.nextBoolean() ? "latest" : "v" + (1 + random.nextInt(2));
        return spec(name, version, tracking, random.nextInt(4) > 0 ? List.of(REGION) : List.of());
    }

    /** A deleted resource has to disappear first, which needs a live replica. */
    private static String declareAnew(String name, DatasetSpec spec, Map<String, Wanted> wanted) {
        if (!wanted.containsKey(name)) {
            if (replicas.stream().noneMatch(ApplicationProcess::isAlive)) {
                replicas.getFirst().restart();
            }
            awaitGone(name);
        }
        return declare(name, spec);
    }

    private static boolean isAsDeclared(String name, Optional<Wanted> wanted) {
        JsonNode dataset = API.get("/datasets/team/" + name).body();
        boolean registered = dataset.has("deleted_at") && dataset.get("deleted_at").isNull();
        boolean tracked = API.get("/datasets/team/" + name + "/tracking").status() == 200;
        if (wanted.isEmpty()) {
            return named(name).get() == null && !registered && !tracked && pins(name).isEmpty();
        }
        DatasetSpec spec = wanted.get().spec();
        Set<String> held = new TreeSet<>();
        if (!spec.regions().isEmpty()) {
            String meant = API.get(version(name, spec.version())).text("version");
            held.add("team/%s@%s/dataset-%s".formatted(name, meant, wanted.get().uid()));
        }
        DatasetResource there = named(name).get();
        return there != null
                && registered
                && tracked == (spec.tracking() != null)
                && pins(name).equals(held)
                && there.getStatus() != null
                && Objects.equals(
                        there.getStatus().observedGeneration(), there.getMetadata().getGeneration())
                && Objects.equals(
                        there.getStatus().state(),
                        spec.regions().isEmpty() ? "Registered" : "Cached");
    }

    /** Kills each replica in turn, so that the other one takes over. */
    @Test
    void anotherReplicaTakesOverWhenTheActiveOneDies() {
        List<ApplicationProcess> alive = new ArrayList<>(replicas);
        for (ApplicationProcess dying : replicas) {
            dying.kill9();
            String name = "after-" + alive.indexOf(dying);
            PLATFORM.put(name + "/a.txt", "first");
            declare(name, spec(name, "v1", null, List.of(REGION)));
            Await.until(name + " is warm", TAKEOVER, () -> "Cached".equals(status(name).state()));
            dying.restart();
            named(name).delete();
            awaitGone(name);
        }
        assertThat(service.requests()).as("requests through the proxy").isPositive();
    }
}
