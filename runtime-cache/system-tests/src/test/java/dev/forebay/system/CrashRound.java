package dev.forebay.system;

import static org.assertj.core.api.Assertions.assertThat;

import dev.forebay.devstack.server.Server;
import java.io.IOException;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Collections;
import java.util.Comparator;
import java.util.EnumSet;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.Set;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.locks.LockSupport;

/**
 * Independent callers fill, pin, release and evict five datasets in two regions. Meanwhile
 * processes of several kinds are killed, in random order at random moments. One dataset stays
 * pinned in both regions throughout, and is read continuously.
 *
 * <p>The seed determines the operations of callers and the times of kills. It does not determine
 * the work that a kill interrupts, because the processes run at their own speed.
 */
final class CrashRound {

    private static final List<String> NAMES = List.of("a", "b", "c", "d", "held");
    private static final List<String> REGIONS = List.of(RunningStack.KOREA, RunningStack.VIRGINIA);

    /** The kinds of process that no other test kills in the middle of a fill by default. */
    private static final Set<Victim> FIRST = EnumSet.of(Victim.ETCD, Victim.TEMPORAL);

    /** The number of kinds that die in a round: those in {@link #FIRST}, then random ones. */
    private static final int KINDS = Integer.getInteger("forebay.chaos.kinds", 3);

    private static final int MOST_STEPS = 40;
    private static final int LEAST_CHUNKS = 3;
    private static final int MOST_CHUNKS = 6;
    private static final long LONGEST_CALM_NANOS = Duration.ofSeconds(2).toNanos();
    private static final long LONGEST_OUTAGE_NANOS = Duration.ofSeconds(1).toNanos();

    /** Counts rounds in this JVM, whose stack still has the datasets of earlier rounds. */
    private static final AtomicInteger ROUNDS = new AtomicInteger();

    private final RunningStack stack;
    private final long seed;
    private final Random random;
    private final String namespace = "crash-" + ROUNDS.incrementAndGet();
    private final Instant began = Instant.now();
    private final List<String> story = Collections.synchronizedList(new ArrayList<>());
    private final AtomicBoolean over = new AtomicBoolean();
    private final List<CrashDataset> datasets;
    private final CrashDataset held;
    private final List<CrashCopy> copies = new ArrayList<>();
    private int workersKilled;

    CrashRound(RunningStack stack, long seed) {
        this.stack = stack;
        this.seed = seed;
        this.random = new Random(seed);
        datasets =
                NAMES.stream()
                        .map(
                                name ->
                                        CrashDataset.of(
                                                namespace + "/" + name,
                                                random.nextInt(LEAST_CHUNKS, MOST_CHUNKS + 1),
                                                random.nextLong()))
                        .toList();
        held = datasets.getLast();
        for (CrashDataset dataset : datasets) {
            for (String region : REGIONS) {
                copies.add(new CrashCopy(stack, dataset, region, this::tell));
            }
        }
    }

    /** Fails if anything was lost, wrong or left over. The message names the seed. */
    void run() {
        try {
            begin();
            Map<String, Integer> chunkFiles = new HashMap<>();
            for (String region : REGIONS) {
                chunkFiles.put(region, stack.countChunkFiles(region));
            }
            hold();
            crash();
            CrashAudit audit = new CrashAudit(stack, namespace, copies, held, workersKilled);
            audit.check();
            tell("nothing is lost");
            for (CrashCopy copy : copies) {
                copy.release();
                copy.evict();
            }
            audit.checkNothingIsLeft(chunkFiles);
            tell("nothing is left");
        } catch (Exception | AssertionError broken) {
            throw new AssertionError(
                    "make test-chaos SEED=%d ROUNDS=1 KINDS=%d does the same again. What happened:%n%s"
                            .formatted(seed, KINDS, String.join(System.lineSeparator(), story)),
                    broken);
        }
    }

    private void begin() throws Exception {
        for (CrashDataset dataset : datasets) {
            dataset.register(stack);
        }
    }

    private void hold() throws Exception {
        for (CrashCopy copy : copiesOf(held)) {
            copy.ensure(true);
        }
    }

    private List<CrashCopy> copiesOf(CrashDataset dataset) {
        return copies.stream().filter(copy -> copy.dataset().equals(dataset)).toList();
    }

    private void crash() throws Exception {
        List<Future<?>> busy = new ArrayList<>();
        try (ExecutorService threads = Executors.newCachedThreadPool()) {
            try {
                for (CrashDataset dataset : datasets.subList(0, datasets.indexOf(held))) {
                    List<CrashCopy> both = copiesOf(dataset);
                    Random own = new Random(random.nextLong());
                    busy.add(threads.submit(() -> use(both, own)));
                }
                for (String region : REGIONS) {
                    busy.add(threads.submit(() -> readAllAlong(region)));
                }
                killEach();
            } finally {
                over.set(true);
            }
            for (Future<?> each : busy) {
                each.get();
            }
        }
    }

    /** Performs one caller's operations, one after another, in either region. */
    private boolean use(List<CrashCopy> both, Random own) throws Exception {
        for (int step = 0; step < MOST_STEPS && !over.get(); step++) {
            both.get(own.nextInt(both.size())).doSomething(own);
        }
        return true;
    }

    private int readAllAlong(String region) throws IOException {
        int times = 0;
        while (!over.get()) {
            stack.readAll(region, held.version(), held.tree());
            times++;
            Await.pause();
        }
        assertThat(times).as("how often %s was read in %s", held.name(), region).isPositive();
        return times;
    }

    /** Kills one process after another. Simultaneous losses are outside this test. */
    private void killEach() {
        List<Victim> all = new ArrayList<>(List.of(Victim.values()));
        Collections.shuffle(all, random);
        all.sort(Comparator.comparing(victim -> !FIRST.contains(victim)));
        List<Victim> victims = all.subList(0, KINDS);
        Collections.shuffle(victims, random);
        for (Victim victim : victims) {
            LockSupport.parkNanos(random.nextLong(LONGEST_CALM_NANOS));
            String region = REGIONS.get(random.nextInt(REGIONS.size()));
            workersKilled += victim == Victim.WORKER ? 1 : 0;
            kill(victim.in(stack, region), "%s (%s)".formatted(victim, region));
        }
    }

    private void kill(Server server, String name) {
        tell("kill -9 of " + name);
        server.kill9();
        try {
            LockSupport.parkNanos(random.nextLong(LONGEST_OUTAGE_NANOS));
        } finally {
            server.restart();
        }
        tell(name + " is back");
    }

    private void tell(String what) {
        story.add(
                "%6.1f s %s"
                        .formatted(Duration.between(began, Instant.now()).toMillis() / 1e3, what));
    }
}
