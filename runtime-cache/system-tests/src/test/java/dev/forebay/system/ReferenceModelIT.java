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
import java.util.HashSet;
import java.util.Iterator;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.Set;
import java.util.TreeMap;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import java.util.function.Predicate;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.FieldSource;

/**
 * "A mount shows the manifest's bytes or an error", in every view, over both transports, and from
 * the workers' chunk stores: processes read at random and compare, while versions come and go,
 * pods, holders and workers are killed and stopped, chunks rot and are evicted, and the lake is not
 * itself. One object was changed in the lake: only it may give errors. Repeated by {@code
 * -Dforebay.seed=…}; {@code -Dforebay.model.reads} and {@code -Dforebay.model.events} say how much
 * of it, in each set-up, and {@code -Dforebay.model.setups} in which ones. With two events in each,
 * all kinds of them come up.
 */
class ReferenceModelIT {

    private static final long SEED = Long.getLong("forebay.seed", System.nanoTime());
    private static final long READS = Long.getLong("forebay.model.reads", 10_000);
    private static final int EVENTS = Integer.getInteger("forebay.model.events", 2);
    private static final List<ModelSetup> SETUPS = setups();
    private static final int READS_AMID_IT = 500;
    private static final int FLIPPED_BITS = 3000;
    private static final Duration PATIENCE = Duration.ofSeconds(60);
    private static final Duration AT_MOST = Duration.ofMinutes(20);

    /** Where the logs of all processes are copied to when something failed. */
    private static final Path KEPT_LOGS = Path.of("target", "reference-model");

    @TempDir private static Path directory;
    private static ModelRegion region;

    /** The kinds of events that there were, in all set-ups. */
    private static final Set<String> HAPPENED = new HashSet<>();

    private final Random random = new Random(SEED);
    private final List<String> events = new ArrayList<>();
    private final Map<String, Integer> counts = new TreeMap<>();

    /**
     * What happens to readers.
     *
     * @param in the set-ups in which it may
     */
    private record Event(String name, int weight, Predicate<ModelSetup> in, Happening happening) {

        /** In how many set-ups it may happen, of those that are tried. */
        long setups() {
            return SETUPS.stream().filter(in).count();
        }
    }

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

    private static List<ModelSetup> setups() {
        String names = System.getProperty("forebay.model.setups", "");
        return names.isEmpty()
                ? List.of(ModelSetup.values())
                : Stream.of(names.split(",", -1)).map(ModelSetup::valueOf).toList();
    }

    @ParameterizedTest
    @FieldSource("SETUPS")
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
        } catch (Throwable e) {
            keepLogs();
            throw e;
        } finally {
            region.proxy.spoil(request -> Fault.NONE);
        }
    }

    private static void keepLogs() throws IOException {
        try (Stream<Path> all = Files.walk(directory)) {
            for (Path log : all.filter(file -> file.toString().endsWith(".log")).toList()) {
                Path kept = KEPT_LOGS.resolve(directory.relativize(log));
                Files.createDirectories(kept.getParent());
                Files.copy(log, kept, StandardCopyOption.REPLACE_EXISTING);
            }
        }
    }

    private void happen(List<Event> possible) throws Exception {
        Event event = choose(next(possible));
        HAPPENED.add(event.name());
        events.add(Instant.now() + " " + event.name());
        counts.merge(event.name(), 1, Integer::sum);
        try {
            event.happening().happen();
        } catch (AssertionError e) {
            throw new AssertionError("seed %d, %s: %s".formatted(SEED, events, e.getMessage()), e);
        }
    }

    /** Those that there were in no set-up, the ones first that few others can have; at last all. */
    private static List<Event> next(List<Event> possible) {
        List<Event> fresh =
                possible.stream().filter(event -> !HAPPENED.contains(event.name())).toList();
        long least = fresh.stream().mapToLong(Event::setups).min().orElse(0);
        return fresh.isEmpty()
                ? possible
                : fresh.stream().filter(event -> event.setups() == least).toList();
    }

    private Event choose(List<Event> from) {
        int chosen = random.nextInt(from.stream().mapToInt(Event::weight).sum());
        Iterator<Event> each = from.iterator();
        Event event = each.next();
        while (chosen >= event.weight()) {
            chosen -= event.weight();
            event = each.next();
        }
        return event;
    }

    private List<Event> events(ModelSetup setup, ModelMount mount, ModelReaders readers) {
        Predicate<ModelSetup> all = _ -> true;
        Predicate<ModelSetup> held = ModelSetup::held;
        // By its image a version shows names without the manifest.
        Predicate<ModelSetup> named = held.and(each -> each.shown() == ModelSetup.Shown.BY_FUSE);
        Predicate<ModelSetup> natively = each -> each.shown() == ModelSetup.Shown.NATIVELY;
        return Stream.of(
                        new Event("lake faults", 4, all, this::spoilLake),
                        new Event("worker stopped", 2, all, this::stopWorker),
                        new Event("worker killed", 2, all, this::killWorker),
                        new Event("chunk damaged", 2, all, this::damageChunk),
                        new Event("version evicted", 3, all, () -> evict(mount, readers)),
                        new Event("etcd killed", 2, all, () -> killEtcd(readers)),
                        new Event("pod killed", 4, held, mount::killPod),
                        new Event("pods killed without etcd", 1, held, () -> killPods(mount)),
                        new Event("pod upgraded", 2, held, mount::upgradePod),
                        new Event("holder killed", 1, held, mount::killHolder),
                        new Event("manifests lost", 2, held, () -> mount.loseManifests(random)),
                        new Event(
                                "manifests damaged",
                                2,
                                named,
                                () -> damageManifests(mount, readers)),
                        new Event(
                                "packs damaged",
                                4,
                                ModelSetup::strict,
                                () -> damagePacks(mount, readers)),
                        new Event("native pack damaged", 3, natively, () -> rot(mount, readers)))
                .filter(event -> event.in().test(setup))
                .toList();
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
        Await.until("reads go on without etcd", PATIENCE, () -> readers.reads() >= until);
        region.etcd.restart();
        Await.until("etcd is found again", PATIENCE, region.state::connected);
    }

    /** The second to take over was started while etcd was away. */
    private void killPods(ModelMount mount) {
        region.etcd.kill9();
        mount.killPod();
        mount.killPod();
        region.etcd.restart();
        Await.until("etcd is found again", PATIENCE, region.state::connected);
    }

    private void damageChunk() throws IOException {
        Path store = region.store(random.nextInt(ModelRegion.WORKERS));
        FlippedBits.below(store.resolve("chunks"), "", 1, random);
    }

    /** Some of the bits are where nothing is. */
    private void damagePacks(ModelMount mount, ModelReaders readers) throws IOException {
        FlippedBits.below(mount.packs(), ".pack", FLIPPED_BITS, random);
        long until = readers.reads() + READS_AMID_IT;
        Await.until("reads of what is left", PATIENCE, () -> readers.reads() >= until);
    }

    /** Until the scrub has found it, and what is opened after that is another mount's. */
    private void rot(ModelMount mount, ModelReaders readers) throws IOException {
        ModelVersion version = ModelVersion.all().get(1);
        Await.until(
                version.name() + " is native",
                ModelReaders.SHOWN_WITHIN,
                () -> mount.shows(version.name()));
        // While a file of it is open no other mount is given the same identity.
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
        // Who has a file open from before may have to do with what it saw then.
        long until = readers.reads() + READS_AMID_IT;
        Await.until("reads of what was mended", PATIENCE, () -> readers.reads() >= until);
    }

    /** That is an error until they are fetched again. */
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
        // It may still be there as it was before it went.
        mount.awaitNews();
        Await.until(version.name() + " is readable again", PATIENCE, () -> mount.reads(version));
        readers.comesOrGoes(version);
    }
}
