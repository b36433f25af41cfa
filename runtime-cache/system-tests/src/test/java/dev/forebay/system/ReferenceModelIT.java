package dev.forebay.system;

import static org.assertj.core.api.Assertions.assertThat;

import dev.forebay.devstack.fault.Fault;
import dev.forebay.devstack.server.ServerProcess;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.TreeMap;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/**
 * "A mount shows the manifest's bytes or an error", in every view, over both transports, and from
 * the workers' chunk stores: processes read at random and compare, while versions come and go,
 * pods, holders and workers are killed and stopped, chunks rot and are evicted, and the lake is not
 * itself. One object was changed in the lake: only it may give errors. Repeated by {@code
 * -Dforebay.seed=…}; {@code -Dforebay.model.reads} and {@code -Dforebay.model.events} say how much
 * of it, in each set-up.
 */
class ReferenceModelIT {

    private static final long SEED = Long.getLong("forebay.seed", System.nanoTime());
    private static final long READS = Long.getLong("forebay.model.reads", 10_000);
    private static final int EVENTS = Integer.getInteger("forebay.model.events", 2);
    private static final Duration AT_MOST = Duration.ofMinutes(20);

    @TempDir private static Path directory;
    private static ModelRegion region;

    private final Random random = new Random(SEED);
    private final List<String> events = new ArrayList<>();
    private final Map<String, Integer> counts = new TreeMap<>();

    /** What happens to readers. */
    private record Event(String name, int weight, Happening happening) {}

    @FunctionalInterface
    private interface Happening {
        void happen() throws Exception;
    }

    @BeforeAll
    static void startRegion() throws Exception {
        System.out.println("Seed " + SEED);
        region = new ModelRegion(directory);
    }

    @AfterAll
    static void stopRegion() {
        region.close();
    }

    @ParameterizedTest
    @EnumSource
    void everyReadIsRight(ModelSetup setup) throws Exception {
        Instant start = Instant.now();
        try (ModelMount mount = new ModelMount(region, setup);
                ModelReaders readers = new ModelReaders(region, mount, SEED)) {
            readers.start();
            List<Event> possible = events(setup, mount, readers);
            while (events.size() < EVENTS || readers.reads() < READS) {
                LockSupport.parkNanos(random.nextLong(400_000_000));
                if (events.size() < EVENTS || random.nextInt(8) == 0) {
                    happen(possible);
                }
                readers.assertRight(events::toString);
                assertThat(Duration.between(start, Instant.now())).isLessThan(AT_MOST);
            }
            readers.end(events::toString);
            System.out.printf(
                    "%s: %d reads compared in %d s; %s%n",
                    setup,
                    readers.reads(),
                    Duration.between(start, Instant.now()).toSeconds(),
                    counts);
        } finally {
            region.proxy.spoil(request -> Fault.NONE);
        }
    }

    private void happen(List<Event> possible) throws Exception {
        int weights = possible.stream().mapToInt(Event::weight).sum();
        int chosen = random.nextInt(weights);
        for (Event event : possible) {
            chosen -= event.weight();
            if (chosen < 0) {
                events.add(Instant.now() + " " + event.name());
                counts.merge(event.name(), 1, Integer::sum);
                event.happening().happen();
                return;
            }
        }
    }

    private List<Event> events(ModelSetup setup, ModelMount mount, ModelReaders readers) {
        List<Event> possible = new ArrayList<>();
        possible.add(new Event("lake faults", 4, this::spoilLake));
        possible.add(new Event("worker stopped", 2, this::stopWorker));
        possible.add(new Event("worker killed", 2, this::killWorker));
        possible.add(new Event("chunk damaged", 2, this::damageChunk));
        possible.add(new Event("version evicted", 3, () -> evict(mount, readers)));
        if (setup.held()) {
            possible.add(new Event("pod killed", 4, mount::killPod));
            possible.add(new Event("pod upgraded", 2, mount::upgradePod));
            possible.add(new Event("holder killed", 1, mount::killHolder));
        }
        return possible;
    }

    private void spoilLake() {
        region.proxy.spoil(
                request -> {
                    synchronized (random) {
                        return switch (random.nextInt(10)) {
                            case 0 -> new Fault.Status(503);
                            case 1 -> new Fault.Status(500);
                            case 2 -> new Fault.Truncate(random.nextInt(100_000));
                            case 3 -> new Fault.Delay(Duration.ofMillis(random.nextInt(500)));
                            case 4 -> new Fault.Slow(8 << 20);
                            case 5 -> new Fault.OtherRange();
                            default -> Fault.NONE;
                        };
                    }
                });
        LockSupport.parkNanos(TimeUnit.MILLISECONDS.toNanos(300 + random.nextInt(1500)));
        region.proxy.spoil(request -> Fault.NONE);
    }

    private ServerProcess someWorker() {
        return region.worker(random.nextInt(ModelRegion.WORKERS));
    }

    private void stopWorker() {
        ServerProcess worker = someWorker();
        worker.pause();
        LockSupport.parkNanos(TimeUnit.MILLISECONDS.toNanos(100 + random.nextInt(3000)));
        worker.resume();
    }

    private void killWorker() {
        ServerProcess worker = someWorker();
        worker.kill9();
        LockSupport.parkNanos(TimeUnit.MILLISECONDS.toNanos(random.nextInt(1500)));
        worker.restart();
    }

    /** A bit of a chunk in a store is another one. */
    private void damageChunk() throws IOException {
        List<Path> files = StoreFiles.of(region.store(random.nextInt(ModelRegion.WORKERS)));
        if (files.isEmpty()) {
            return;
        }
        Path file = files.get(random.nextInt(files.size()));
        try (FileChannel chunk =
                FileChannel.open(file, StandardOpenOption.READ, StandardOpenOption.WRITE)) {
            if (chunk.size() == 0) {
                return;
            }
            ByteBuffer one = ByteBuffer.allocate(1);
            long at = random.nextLong(chunk.size());
            chunk.read(one, at);
            one.put(0, (byte) (one.get(0) ^ (1 << random.nextInt(8))));
            chunk.write(one.flip(), at);
        } catch (NoSuchFileException e) {
            // Others needed its room just now.
        }
    }

    private void evict(ModelMount mount, ModelReaders readers) {
        ModelVersion version = ModelVersion.all().getLast();
        readers.comesOrGoes(version);
        region.evict(version);
        LockSupport.parkNanos(TimeUnit.MILLISECONDS.toNanos(random.nextInt(1500)));
        region.mount(version);
        Await.until(
                version.name() + " is readable again",
                Duration.ofSeconds(60),
                () -> mount.reads(version));
        readers.comesOrGoes(version);
    }
}
