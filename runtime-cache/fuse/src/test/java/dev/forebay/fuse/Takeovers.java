package dev.forebay.fuse;

import static org.assertj.core.api.Assertions.assertThat;

import dev.forebay.fuse.HeldMountFixture.Running;
import dev.forebay.fuse.HeldMountFixture.Seen;
import dev.forebay.fuse.options.ViewChoice;
import dev.forebay.fuse.view.View;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.EnumSet;
import java.util.List;
import java.util.Random;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.io.TempDir;

/**
 * "Readers survive a pod that dies": readers compare every byte while the processes that serve the
 * mount are killed, stopped and replaced.
 */
abstract class Takeovers {

    static final int KILLS = Integer.getInteger("forebay.kills", 2);
    static final long SEED = Long.getLong("forebay.seed", System.nanoTime());

    /** "Errors": the timeout from the time at which a pod has a request. */
    private static final long LONGEST_REQUEST_SECONDS = 30;

    /** The number of kills from which on the median pause is checked; it needs an idle machine. */
    private static final int MANY = 200;

    /** The longest median pause, with a standby. */
    static final Duration SHORT_PAUSE = Duration.ofMillis(300);

    /** The longest median pause, without a standby. */
    static final Duration LONG_PAUSE = Duration.ofSeconds(3);

    /** How much longer than {@code --replace-after} a holder may take on a busy machine. */
    static final long MARGIN_SECONDS = 10;

    @TempDir private static Path directory;
    static HeldMountFixture region;

    private final Random random = new Random(SEED);
    final View view;
    final String option;

    /** The times during which no pod served, in microseconds. */
    final List<long[]> unserved = new ArrayList<>();

    Takeovers(View view) {
        this.view = view;
        this.option = "--view=" + ViewChoice.valueOf(view.name());
    }

    @BeforeAll
    static void startRegion() throws Exception {
        region = new HeldMountFixture(directory);
        System.out.println("Seed " + SEED);
    }

    @AfterAll
    static void stopRegion() throws Exception {
        region.close();
    }

    @AfterEach
    void endProcesses() throws Exception {
        region.endProcesses();
    }

    void assertNobodyNoticed(Seen seen) {
        assertThat(seen.complaints()).as("seed %d", SEED).isEmpty();
        assertThat(seen.operations()).isPositive();
        assertThat(seen.longestBesides(unserved))
                .as("the longest wait in microseconds, without the time when nobody served")
                .isLessThan(TimeUnit.SECONDS.toMicros(LONGEST_REQUEST_SECONDS));
    }

    /** Waits until a pod serves, and records that no pod may have served since a time. */
    void awaitServing(Running next, Running holder, long since) {
        holder.await(HeldMountFixture.serves(next));
        unserved.add(new long[] {since, CheckingReader.micros()});
    }

    /** Keeps the readers running for a while in the last state, and then checks what they saw. */
    Seen assertNobodyNoticed(List<Running> readers, String what, List<Long> times)
            throws Exception {
        awaitAnyMoment();
        Seen seen = HeldMountFixture.end(readers);
        report(view + ": " + what, seen, times);
        assertNobodyNoticed(seen);
        return seen;
    }

    static void assertMedian(Seen seen, List<Long> times, Duration most) {
        if (KILLS >= MANY) {
            long median = seen.pauses(times).skip(times.size() / 2).findFirst().orElseThrow();
            assertThat(median).as("the median pause, in microseconds").isLessThan(micros(most));
        }
    }

    private static long micros(Duration time) {
        return time.toNanos() / 1000;
    }

    static void report(String what, Seen seen, List<Long> times) {
        long[] pauses = seen.pauses(times).toArray();
        System.out.printf(
                "%s: %d times, %d reads, longest wait of any reader each time in ms:"
                        + " median %.1f, 95%% %.1f, most %.1f%n",
                what,
                pauses.length,
                seen.operations(),
                pauses[pauses.length / 2] / 1000.0,
                pauses[(int) (pauses.length * 0.95)] / 1000.0,
                pauses[pauses.length - 1] / 1000.0);
    }

    /** Starts readers in each way that works: EROFS over plain files has no direct reads. */
    List<Running> readers() throws Exception {
        EnumSet<CheckingReader.Way> ways = EnumSet.allOf(CheckingReader.Way.class);
        if (view != View.PORTABLE) {
            ways.remove(CheckingReader.Way.DIRECT);
        }
        return readers(ways);
    }

    List<Running> readers(Set<CheckingReader.Way> ways) throws Exception {
        region.awaitView(view);
        return region.readers(SEED, ways);
    }

    void awaitAnyMoment() {
        LockSupport.parkNanos(random.nextLong(300_000_000));
    }

    /** Kills the serving pod repeatedly, and returns the times. */
    List<Long> kills(Running holder, Running first, Running second, String... options)
            throws Exception {
        Running serving = first;
        Running standby = second;
        List<Long> times = new ArrayList<>();
        for (int kill = 0; kill < KILLS; kill++) {
            awaitAnyMoment();
            long killed = serving.kill();
            times.add(killed);
            serving = standby;
            awaitServing(serving, holder, killed);
            standby = region.standby(holder, "pod-" + kill % 2, options);
        }
        return times;
    }
}
