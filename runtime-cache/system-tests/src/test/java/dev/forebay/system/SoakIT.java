package dev.forebay.system;

import static org.assertj.core.api.Assertions.assertThat;

import dev.forebay.model.DatasetVersion;
import dev.forebay.model.ManifestRef;
import dev.forebay.system.ProcessFigures.Figure;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.locks.LockSupport;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.EnabledIfSystemProperty;
import org.junit.jupiter.api.io.CleanupMode;
import org.junit.jupiter.api.io.TempDir;

/**
 * Checks that the resource usage of pods, holder and workers does not grow under load. Readers use
 * two mounts, one version is evicted and mounted again, and further versions are mounted, read and
 * evicted for good. The first third of the time is a warm-up. The median of each figure in the last
 * third may exceed that of the second third by 5 %, or by the slack of {@link Figure}.
 */
@EnabledIfSystemProperty(named = "forebay.soak.minutes", matches = "\\d+")
class SoakIT {

    private static final long SEED = Long.getLong("forebay.seed", System.nanoTime());
    private static final Duration PAUSE = Duration.ofSeconds(10);
    private static final String PASSING = "file";
    private static final int PASSING_BYTES = 3 << 20;

    /** Kept after a failure, because it contains the logs of all processes. */
    @TempDir(cleanup = CleanupMode.ON_SUCCESS)
    private Path directory;

    private final Map<String, Map<Figure, List<Long>>> samples = new TreeMap<>();

    @Test
    void memoryDescriptorsAndThreadsDoNotGrow() throws Exception {
        Duration length = Duration.ofMinutes(Long.getLong("forebay.soak.minutes", 30));
        try (ModelRegion region = new ModelRegion(directory);
                ModelMount held = new ModelMount(region, ModelSetup.PORTABLE_KERNEL);
                ModelMount other = new ModelMount(region, ModelSetup.ON_DEMAND_KERNEL);
                ModelMount whole = new ModelMount(region, ModelSetup.NATIVE_KERNEL);
                ModelReaders one = new ModelReaders(region, held, SEED);
                ModelReaders two = new ModelReaders(region, other, SEED + 100);
                ModelReaders three = new ModelReaders(region, whole, SEED + 200)) {
            List<ModelMount> mounts = List.of(held, other, whole);
            List<ModelReaders> readers = List.of(one, two, three);
            for (ModelReaders each : readers) {
                each.start();
            }
            Instant end = Instant.now().plus(length);
            for (int round = 0; Instant.now().isBefore(end); round++) {
                LockSupport.parkNanos(PAUSE.toNanos());
                for (int i = 0; i < ModelRegion.WORKERS; i++) {
                    sample("worker-" + i, region.worker(i).pid());
                }
                held.processes().forEach((name, pid) -> sample("held " + name, pid));
                other.processes().forEach((name, pid) -> sample("by image " + name, pid));
                whole.processes().forEach((name, pid) -> sample("natively " + name, pid));
                evict(region, mounts, readers);
                pass(region, mounts, round);
                for (ModelReaders each : readers) {
                    each.assertRight(() -> "soak");
                }
            }
            for (ModelReaders each : readers) {
                each.end(() -> "soak");
            }
            System.out.printf(
                    "%d reads compared in %d min; seed %d%n",
                    readers.stream().mapToLong(ModelReaders::reads).sum(),
                    length.toMinutes(),
                    SEED);
        }
        assertThat(report()).as("figures that grow").isEmpty();
    }

    private static void evict(
            ModelRegion region, List<ModelMount> mounts, List<ModelReaders> readers) {
        ModelVersion version = ModelVersion.all().getLast();
        readers.forEach(each -> each.comesOrGoes(version));
        region.evict(version);
        region.mount(version);
        for (ModelMount mount : mounts) {
            Await.until(
                    version.name() + " is readable again",
                    Duration.ofSeconds(60),
                    () -> mount.reads(version));
        }
        readers.forEach(each -> each.comesOrGoes(version));
    }

    /** Mounts a new version, reads it, and evicts it for good. */
    private void pass(ModelRegion region, List<ModelMount> mounts, int round) throws Exception {
        DatasetVersion version = DatasetVersion.of("model", "passing", "v" + round);
        ModelContent content = ModelContent.of(version.toString(), PASSING);
        Path file = directory.resolve("passing-" + round + ".sqlite");
        ManifestRef manifest =
                region.freeze(
                        "passing-" + round + "/",
                        Map.of(PASSING, content.bytes(PASSING_BYTES)),
                        file);
        Files.delete(file);
        region.mount(version, manifest);
        for (ModelMount mount : mounts) {
            Path shown = mount.mountpoint().resolve(version.path()).resolve(PASSING);
            Await.until(version + " is shown", Duration.ofSeconds(60), () -> Files.exists(shown));
            ByteBuffer read = ByteBuffer.wrap(Files.readAllBytes(shown));
            assertThat(read.remaining()).isEqualTo(PASSING_BYTES);
            assertThat(content.firstWrong(read, 0)).as("first wrong byte").isEqualTo(-1);
        }
        region.evict(version, manifest.digest());
    }

    private void sample(String process, long pid) {
        try {
            ProcessFigures.of(pid)
                    .forEach(
                            (figure, value) ->
                                    samples.computeIfAbsent(process, _ -> new TreeMap<>())
                                            .computeIfAbsent(figure, _ -> new ArrayList<>())
                                            .add(value));
        } catch (Exception e) {
            throw new AssertionError(process + " is gone; its log is in " + directory, e);
        }
    }

    /** Prints a table and returns the figures that grow. */
    private List<String> report() {
        List<String> growing = new ArrayList<>();
        System.out.println("| process | figure | second third | last third | most | |");
        System.out.println("|---|---|---|---|---|---|");
        samples.forEach(
                (process, figures) ->
                        figures.forEach(
                                (figure, values) -> {
                                    int third = values.size() / 3;
                                    long before = median(values.subList(third, 2 * third));
                                    long after = median(values.subList(2 * third, values.size()));
                                    long most =
                                            values.stream()
                                                    .mapToLong(Long::longValue)
                                                    .max()
                                                    .orElse(0);
                                    boolean flat =
                                            after - before <= Math.max(figure.slack, before / 20);
                                    System.out.printf(
                                            "| %s | %s | %d | %d | %d | %s |%n",
                                            process,
                                            figure,
                                            before,
                                            after,
                                            most,
                                            flat ? "flat" : "GROWS");
                                    if (!flat) {
                                        growing.add(process + " " + figure);
                                    }
                                }));
        return growing;
    }

    private static long median(List<Long> values) {
        return values.stream().sorted().skip(values.size() / 2).findFirst().orElse(0L);
    }
}
