package dev.forebay.system;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.TreeSet;
import java.util.stream.Collectors;
import java.util.stream.StreamSupport;

/**
 * Checks the state of the system after all processes run again. The workflows, the regions' etcd,
 * the chunk stores, the lake's access log and the ledger must agree with each other and with the
 * callers.
 */
final class CrashAudit {

    /**
     * The number of concurrent fills of a worker, which is the most that a killed worker can lose.
     */
    static final int FILLS_IN_FLIGHT = 8;

    /** A process learns of another one's changes some seconds later. */
    private static final Duration TIMEOUT = Duration.ofSeconds(90);

    private final RunningStack stack;
    private final String namespace;
    private final List<CrashCopy> copies;
    private final CrashDataset readAllAlong;
    private final int workersKilled;

    /**
     * @param readAllAlong the dataset that was also read while processes died; the lake reads for
     *     it are unbounded while a worker is down
     */
    CrashAudit(
            RunningStack stack,
            String namespace,
            List<CrashCopy> copies,
            CrashDataset readAllAlong,
            int workersKilled) {
        this.stack = stack;
        this.namespace = namespace;
        this.copies = copies;
        this.readAllAlong = readAllAlong;
        this.workersKilled = workersKilled;
    }

    /** Checks everything. */
    void check() throws Exception {
        for (CrashCopy copy : copies) {
            residency(copy);
        }
        for (String region : regions()) {
            pins(region);
            reservations(region);
        }
        Set<CrashDataset> datasets =
                copies.stream().map(CrashCopy::dataset).collect(Collectors.toSet());
        for (CrashDataset dataset : datasets) {
            lake(dataset);
            ledger(dataset);
        }
        wholeLake(datasets);
        for (CrashCopy copy : copies) {
            bytes(copy);
        }
    }

    private Set<String> regions() {
        return copies.stream()
                .map(CrashCopy::region)
                .collect(Collectors.toCollection(TreeSet::new));
    }

    private List<CrashCopy> in(String region) {
        return copies.stream().filter(copy -> copy.region().equals(region)).toList();
    }

    /** Checks that no accepted request is lost, and that the workflow and the workers agree. */
    private void residency(CrashCopy copy) {
        String expected = copy.isPresent() ? "CACHED" : "ABSENT";
        Await.until(
                "%s is %s".formatted(copy, expected), TIMEOUT, () -> copy.state().equals(expected));
        if (!copy.isPresent()) {
            return;
        }
        Await.until(
                "the workers hold all of " + copy,
                TIMEOUT,
                () -> {
                    JsonNode needs = needs(copy);
                    return needs.path("exact").asBoolean()
                            && needs.path("bytes_missing").asLong(-1) == 0;
                });
    }

    private JsonNode needs(CrashCopy copy) throws Exception {
        return stack.api()
                .stubbornly("POST", copy.path("/plan"), Map.of("regions", List.of(copy.region())))
                .expect(200)
                .body()
                .at("/regions/0/needs");
    }

    /** Checks that no pin is lost and that no released pin is left. */
    private void pins(String region) {
        Set<String> expected = new TreeSet<>();
        for (CrashCopy copy : in(region)) {
            if (copy.pin() != null) {
                expected.add(copy.dataset().name() + " " + copy.pin());
            }
        }
        Await.until(
                "the etcd of %s has these pins, and the workflows know them: %s"
                        .formatted(region, expected),
                TIMEOUT,
                () ->
                        pinsInEtcd(region).equals(expected)
                                && pinsOfWorkflows(region).equals(expected));
    }

    private Set<String> pinsInEtcd(String region) throws Exception {
        Set<String> pins = new TreeSet<>();
        for (JsonNode each : gateway(region).pins()) {
            if (isOurs(each.get("version"))) {
                pins.add("%s %s".formatted(name(each.get("version")), each.get("id").asText()));
            }
        }
        return pins;
    }

    private Set<String> pinsOfWorkflows(String region) throws Exception {
        Set<String> pins = new TreeSet<>();
        for (CrashCopy copy : in(region)) {
            for (JsonNode each : get(copy.path("/pins")).get("items")) {
                if (each.get("region").asText().equals(region)) {
                    pins.add("%s %s".formatted(copy.dataset().name(), each.get("id").asText()));
                }
            }
        }
        return pins;
    }

    /**
     * Checks that every present version holds its capacity, that no other version does, and that no
     * admitted or evicted version is still queued.
     */
    private void reservations(String region) {
        List<CrashCopy> present = in(region).stream().filter(CrashCopy::isPresent).toList();
        Set<String> names =
                present.stream()
                        .map(copy -> copy.dataset().name())
                        .collect(Collectors.toCollection(TreeSet::new));
        long space = present.stream().mapToLong(copy -> copy.dataset().bytes()).sum();
        Await.until(
                "in %s these take %d bytes, and nothing else of %s: %s"
                        .formatted(region, space, namespace, names),
                TIMEOUT,
                () -> {
                    JsonNode usage = gateway(region).usage();
                    return mounted(usage).equals(names)
                            && usage.at("/space_bytes/" + namespace).asLong() == space
                            && isNobodyWaiting(region);
                });
    }

    private Set<String> mounted(JsonNode usage) {
        return StreamSupport.stream(usage.get("versions").spliterator(), false)
                .map(each -> each.get("version"))
                .filter(this::isOurs)
                .map(CrashAudit::name)
                .collect(Collectors.toCollection(TreeSet::new));
    }

    private boolean isNobodyWaiting(String region) throws Exception {
        JsonNode queue = get("/regions/" + region + "/queue").get("items");
        return StreamSupport.stream(queue.spliterator(), false)
                .noneMatch(each -> each.get("dataset").asText().startsWith(namespace + "/"));
    }

    /** Checks that no complete chunk is fetched again. */
    private void lake(CrashDataset dataset) throws Exception {
        int fills = fills(dataset);
        Map<String, Integer> gets = stack.lake().gets(dataset.prefix());
        int atMost = dataset.equals(readAllAlong) ? Integer.MAX_VALUE : fills + workersKilled;
        if (fills > 0) {
            assertThat(gets).as("objects of %s", dataset.name()).hasSize(dataset.chunks());
        }
        gets.forEach(
                (object, count) ->
                        assertThat(count)
                                .as(
                                        "GETs of %s%s, which was filled %d times",
                                        dataset.prefix(), object, fills)
                                .isBetween(fills, atMost));
    }

    /** Checks that a killed worker lost at most its concurrent fills. */
    private void wholeLake(Set<CrashDataset> datasets) throws Exception {
        int gets = 0;
        int wanted = 0;
        for (CrashDataset dataset : datasets) {
            if (!dataset.equals(readAllAlong)) {
                gets += dataset.gets(stack);
                wanted += fills(dataset) * dataset.chunks();
            }
        }
        assertThat(gets)
                .as("GETs of all that was filled, with %d workers killed", workersKilled)
                .isBetween(wanted, wanted + workersKilled * FILLS_IN_FLIGHT);
    }

    private int fills(CrashDataset dataset) {
        return copies.stream()
                .filter(copy -> copy.dataset().equals(dataset))
                .mapToInt(CrashCopy::fills)
                .sum();
    }

    /** Checks the ledger. A request that a killed worker had recorded but not sent is extra. */
    private void ledger(CrashDataset dataset) {
        Await.until(
                "the ledger says of %s what the lake's log says".formatted(dataset.name()),
                TIMEOUT,
                () -> {
                    JsonNode noted = get("/costs?dataset=" + dataset.name()).at("/total/lake");
                    int requests = noted.get("requests").asInt();
                    int logged = dataset.gets(stack);
                    return requests >= logged
                            && requests <= logged + workersKilled * FILLS_IN_FLIGHT
                            && isOf(noted.get("bytes").asLong(), requests, dataset);
                });
    }

    /**
     * Checks the bytes. Each request is for a whole chunk, except those of readers that wait for
     * the first bytes of one.
     */
    private boolean isOf(long bytes, int requests, CrashDataset dataset) {
        return dataset.equals(readAllAlong)
                ? bytes >= fills(dataset) * dataset.bytes()
                : bytes == (long) requests * CrashDataset.CHUNK;
    }

    /** Checks that no byte is wrong, and that no further bytes come from the lake. */
    private void bytes(CrashCopy copy) throws Exception {
        if (!copy.isPresent()) {
            return;
        }
        CrashDataset dataset = copy.dataset();
        int before = dataset.gets(stack);
        stack.readAll(copy.region(), dataset.version(), dataset.tree());
        assertThat(dataset.gets(stack)).as("reading %s", copy).isEqualTo(before);
    }

    /** Checks that nothing of the evicted versions is left in the regions. */
    void checkNothingIsLeft(Map<String, Integer> chunkFilesBefore) throws Exception {
        for (String region : regions()) {
            pins(region);
            reservations(region);
            int before = Objects.requireNonNull(chunkFilesBefore.get(region));
            Await.until(
                    "no chunk is left on the disks of " + region,
                    TIMEOUT,
                    () -> stack.countChunkFiles(region) <= before);
        }
    }

    private JsonNode get(String path) throws Exception {
        return stack.api().stubbornly("GET", path, null).expect(200).body();
    }

    private RegionGateway gateway(String region) {
        return new RegionGateway(stack.region(region).agent().address());
    }

    private boolean isOurs(JsonNode version) {
        return version.at("/dataset/namespace").asText().equals(namespace);
    }

    private static String name(JsonNode version) {
        return "%s/%s"
                .formatted(
                        version.at("/dataset/namespace").asText(),
                        version.at("/dataset/name").asText());
    }
}
