package dev.forebay.system;

import static org.assertj.core.api.Assertions.assertThat;

import dev.forebay.devstack.fault.Fault;
import dev.forebay.devstack.server.ServerProcess;
import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.sql.SQLException;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Collections;
import java.util.Iterator;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.TreeMap;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import java.util.stream.Stream;
import org.junit.jupiter.api.Assumptions;
import org.junit.jupiter.api.BeforeAll;

/**
 * "A mount shows the manifest's bytes or an error" and "Reading", in every view, over both
 * transports, and from the workers' chunk stores. First fio verifies a file. Then processes read at
 * random and compare the bytes. Meanwhile versions are evicted and mounted again, pods, holders and
 * workers are killed and stopped, chunks rot and are evicted, and the lake fails. One object was
 * changed in the lake: only its file may give errors.
 *
 * <p>Set {@code -Dforebay.seed} to repeat a run. The properties {@code -Dforebay.model.reads} and
 * {@code -Dforebay.model.events} set the number of reads and events per setup. The property {@code
 * -Dforebay.model.pause} sets the longest pause of a reader in milliseconds, and {@code
 * -Dforebay.model.setups} selects setups.
 */
abstract class ReferenceModel {

    private static final long SEED = Long.getLong("forebay.seed", System.nanoTime());
    private static final long READS = Long.getLong("forebay.model.reads", 10_000);
    private static final int EVENTS = Integer.getInteger("forebay.model.events", 2);
    private static final List<String> CHOSEN =
            List.of(System.getProperty("forebay.model.setups", "").split(",", -1));
    private static final int READS_AMID_IT = 500;
    private static final int FLIPPED_BITS = 3000;
    private static final Duration TIMEOUT = Duration.ofSeconds(60);
    private static final Duration AT_MOST = Duration.ofMinutes(20);

    /** A failed run copies the logs of all processes here. */
    private static final Path KEPT_LOGS = Path.of("target", "reference-model");

    private final ModelRegion region = SharedModelRegion.get();
    private final Random random = new Random(SEED);
    private final List<String> events = new ArrayList<>();
    private final Map<String, Integer> counts = new TreeMap<>();

    @BeforeAll
    static void tellSeed() {
        System.out.println("Seed " + SEED);
    }

    /** Runs the model in a setup. Fails on the first wrong byte. */
    final void run(ModelSetup setup) throws Exception {
        Assumptions.assumeTrue(
                CHOSEN.contains("") || CHOSEN.contains(setup.name()), "another set-up is chosen");
        Instant start = Instant.now();
        try (ModelMount mount = new ModelMount(region, setup)) {
            FioFile.in(region).verify(mount);
            try (ModelReaders readers = new ModelReaders(region, mount, SEED)) {
                readers.start();
                amid(mount, readers, start);
                readers.end(events::toString);
                System.out.printf(
                        "%s: %d reads compared in %d s; %s%n",
                        setup,
                        readers.reads(),
                        Duration.between(start, Instant.now()).toSeconds(),
                        counts);
            }
        } catch (Throwable e) {
            keepLogs();
            throw e;
        } finally {
            region.proxy.spoil(request -> Fault.NONE);
        }
    }

    private void amid(ModelMount mount, ModelReaders readers, Instant start) throws Exception {
        List<ModelEvent> due = new ArrayList<>(ModelEvent.dueIn(mount.setup()));
        Collections.shuffle(due, random);
        List<ModelEvent> possible = ModelEvent.possibleIn(mount.setup());
        while (!due.isEmpty() || events.size() < EVENTS || readers.reads() < READS) {
            LockSupport.parkNanos(random.nextLong(400_000_000));
            if (!due.isEmpty()) {
                happen(due.removeLast(), mount, readers);
            } else if (events.size() < EVENTS || random.nextInt(8) == 0) {
                happen(draw(possible), mount, readers);
            }
            readers.assertRight(events::toString);
            assertThat(Duration.between(start, Instant.now())).isLessThan(AT_MOST);
        }
    }

    private void keepLogs() throws IOException {
        try (Stream<Path> all = Files.walk(region.directory)) {
            for (Path log : all.filter(file -> file.toString().endsWith(".log")).toList()) {
                Path kept = KEPT_LOGS.resolve(region.directory.relativize(log));
                Files.createDirectories(kept.getParent());
                Files.copy(log, kept, StandardCopyOption.REPLACE_EXISTING);
            }
        }
    }

    private ModelEvent draw(List<ModelEvent> possible) {
        int drawn = random.nextInt(possible.stream().mapToInt(ModelEvent::weight).sum());
        Iterator<ModelEvent> each = possible.iterator();
        ModelEvent event = each.next();
        while (drawn >= event.weight()) {
            drawn -= event.weight();
            event = each.next();
        }
        return event;
    }

    private void happen(ModelEvent event, ModelMount mount, ModelReaders readers) throws Exception {
        events.add(Instant.now() + " " + event);
        counts.merge(event.name(), 1, Integer::sum);
        try {
            switch (event) {
                case LAKE_FAULTS -> spoilLake();
                case WORKER_STOPPED -> stopWorker();
                case WORKER_KILLED -> killWorker();
                case CHUNK_DAMAGED -> damageChunk();
                case VERSION_EVICTED -> evict(mount, readers);
                case ETCD_KILLED -> killEtcd(readers);
                case POD_KILLED -> mount.killPod();
                case PODS_KILLED_WITHOUT_ETCD -> killPods(mount);
                case POD_UPGRADED -> mount.upgradePod();
                case HOLDER_KILLED -> mount.killHolder();
                case MANIFESTS_LOST -> mount.loseManifests(random);
                case MANIFESTS_DAMAGED -> damageManifests(mount, readers);
                case PACKS_DAMAGED -> damagePacks(mount, readers);
                case NATIVE_PACK_DAMAGED -> rot(mount, readers);
            }
        } catch (AssertionError e) {
            throw new AssertionError("seed %d, %s: %s".formatted(SEED, events, e.getMessage()), e);
        }
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

    private void killEtcd(ModelReaders readers) {
        region.etcd.kill9();
        long until = readers.reads() + READS_AMID_IT;
        LockSupport.parkNanos(TimeUnit.MILLISECONDS.toNanos(random.nextInt(3000)));
        Await.until("reads go on without etcd", TIMEOUT, () -> readers.reads() >= until);
        region.etcd.restart();
        Await.until("etcd is found again", TIMEOUT, region.state::connected);
    }

    /** Kills two pods in a row. The second pod to take over was started while etcd was down. */
    private void killPods(ModelMount mount) {
        ServerProcess _ = mount.standby();
        region.etcd.kill9();
        mount.killPod();
        mount.killPod();
        region.etcd.restart();
        Await.until("etcd is found again", TIMEOUT, region.state::connected);
    }

    private void damageChunk() throws IOException {
        Path store = region.store(random.nextInt(ModelRegion.WORKERS));
        FlippedBits.below(store.resolve("chunks"), "", 1, random);
    }

    /** Flips bits of packs. Some flips hit unused parts. */
    private void damagePacks(ModelMount mount, ModelReaders readers) throws IOException {
        FlippedBits.below(mount.packs(), ".pack", FLIPPED_BITS, random);
        long until = readers.reads() + READS_AMID_IT;
        Await.until("reads of what is left", TIMEOUT, () -> readers.reads() >= until);
    }

    /**
     * Flips bits of a block, and waits until the scrub has repaired it and new opens use another
     * mount.
     */
    private void rot(ModelMount mount, ModelReaders readers) throws IOException {
        ModelVersion version = ModelVersion.all().get(1);
        Await.until(
                version.name() + " is native",
                ModelReaders.SHOWN_WITHIN,
                () -> mount.shows(version.name()));
        // While a file of a mount is open, the kernel gives its identity to no other mount.
        try (InputStream _ = Files.newInputStream(version.path(mount.mountpoint(), "a/b/c/deep"))) {
            rot(mount, readers, version, mount.shownBy(version.name()));
        }
    }

    private void rot(ModelMount mount, ModelReaders readers, ModelVersion version, String before)
            throws IOException {
        PackBlock block = PackBlock.some(region, version, mount.packs(), random);
        readers.rotsOrIsMended(version);
        block.rot(random);
        Await.until(
                "what rotted is mended",
                ModelReaders.SHOWN_WITHIN,
                () ->
                        block.isMended()
                                && mount.shows(version.name())
                                && !mount.shownBy(version.name()).equals(before));
        readers.rotsOrIsMended(version);
        // Readers with files open from before may still see the old bytes.
        long until = readers.reads() + READS_AMID_IT;
        Await.until("reads of what was mended", TIMEOUT, () -> readers.reads() >= until);
    }

    /** Damages manifests. Reads may fail until the pod has fetched them again. */
    private void damageManifests(ModelMount mount, ModelReaders readers) throws SQLException {
        ModelVersion.all().forEach(readers::comesOrGoes);
        mount.damageManifests(random);
        ModelVersion.all().forEach(readers::comesOrGoes);
    }

    private void evict(ModelMount mount, ModelReaders readers) {
        ModelVersion version = ModelVersion.all().getLast();
        readers.comesOrGoes(version);
        region.evict(version);
        LockSupport.parkNanos(TimeUnit.MILLISECONDS.toNanos(random.nextInt(1500)));
        region.mount(version);
        // The name may still be visible from before the eviction.
        mount.awaitNews();
        Await.until(version.name() + " is readable again", TIMEOUT, () -> mount.reads(version));
        readers.comesOrGoes(version);
    }
}
