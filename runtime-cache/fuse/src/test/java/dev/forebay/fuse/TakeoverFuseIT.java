package dev.forebay.fuse;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assumptions.assumeThat;

import dev.forebay.fuse.HeldMountFixture.Running;
import dev.forebay.fuse.HeldMountFixture.Seen;
import dev.forebay.fuse.view.View;
import java.nio.file.Files;
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
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedClass;
import org.junit.jupiter.params.provider.EnumSource;

/**
 * "Readers and a pod that dies": four readers compare every byte while those who serve the mount
 * are killed, replaced, and killed again. {@code -Dforebay.kills=200} for more of it.
 */
@ParameterizedClass
@EnumSource(names = {"PORTABLE", "ON_DEMAND"})
class TakeoverFuseIT {

    private static final int KILLS = Integer.getInteger("forebay.kills", 6);
    private static final long SEED = Long.getLong("forebay.seed", System.nanoTime());

    /** "Errors": from when a pod has a request on. */
    private static final long LONGEST_REQUEST_SECONDS = 30;

    /** From so many kills on, which want a machine that does nothing else, pauses are judged. */
    private static final int MANY = 200;

    /** The most that the median of all pauses may be, with and without one that stands by. */
    private static final Duration SHORT_PAUSE = Duration.ofMillis(300);

    private static final Duration LONG_PAUSE = Duration.ofSeconds(3);

    /** How much longer than its patience a holder with processors in demand may take. */
    private static final long MARGIN_SECONDS = 10;

    @TempDir private static Path directory;
    private static HeldMountFixture region;

    private final Random random = new Random(SEED);
    private final View view;
    private final String option;

    /** From when to when nobody served, in microseconds. */
    private final List<long[]> unserved = new ArrayList<>();

    TakeoverFuseIT(View view) {
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

    private void assertNobodyNoticed(Seen seen) {
        assertThat(seen.complaints()).as("seed %d", SEED).isEmpty();
        assertThat(seen.operations()).isPositive();
        assertThat(seen.longestBesides(unserved))
                .as("the longest wait in microseconds, without the time when nobody served")
                .isLessThan(TimeUnit.SECONDS.toMicros(LONGEST_REQUEST_SECONDS));
    }

    /** Waits until somebody serves, as nobody may have done since a time in microseconds. */
    private void awaitServing(Running next, Running holder, long since) {
        holder.await(HeldMountFixture.serves(next));
        unserved.add(new long[] {since, CheckingReader.micros()});
    }

    /** After one more wait, in the last state. */
    private Seen assertNobodyNoticed(List<Running> readers, String what, List<Long> times)
            throws Exception {
        awaitAnyMoment();
        Seen seen = HeldMountFixture.end(readers);
        report(view + ": " + what, seen, times);
        assertNobodyNoticed(seen);
        return seen;
    }

    private static void assertMedian(Seen seen, List<Long> times, Duration most) {
        if (KILLS >= MANY) {
            long median = seen.pauses(times).skip(times.size() / 2).findFirst().orElseThrow();
            assertThat(median).as("the median pause, in microseconds").isLessThan(micros(most));
        }
    }

    private static long micros(Duration time) {
        return time.toNanos() / 1000;
    }

    private static void report(String what, Seen seen, List<Long> times) {
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

    /** EROFS over plain files does not read directly. */
    private List<Running> readers() throws Exception {
        EnumSet<CheckingReader.Way> ways = EnumSet.allOf(CheckingReader.Way.class);
        if (view != View.PORTABLE) {
            ways.remove(CheckingReader.Way.DIRECT);
        }
        return readers(ways);
    }

    private List<Running> readers(Set<CheckingReader.Way> ways) throws Exception {
        region.awaitView(view);
        return region.readers(SEED, ways);
    }

    private void awaitAnyMoment() {
        LockSupport.parkNanos(random.nextLong(300_000_000));
    }

    @Test
    void aStandbyTakesOverFromOneThatWasKilled() throws Exception {
        Running holder = region.holder();
        Running serving = region.serving(holder, "pod-0", option);
        Running standby = region.standby(holder, "pod-1", option);
        List<Running> readers = readers();
        List<Long> times = kills(holder, serving, standby, option);
        Seen seen = assertNobodyNoticed(readers, "killed, with a standby", times);
        assertMedian(seen, times, SHORT_PAUSE);
        assertThat(holder.stop()).isEqualTo(143);
        assertThat(region.mounted()).isFalse();
    }

    /** From loop devices an image is read directly, too. */
    @Test
    void neitherDoReadersOfLoopDevicesNotice() throws Exception {
        assumeThat(view).as("only images have devices").isEqualTo(View.ON_DEMAND);
        String[] options = {option, "--image-devices=loops"};
        Running holder = region.holder();
        Running serving = region.serving(holder, "pod-0", options);
        Running standby = region.standby(holder, "pod-1", options);
        List<Running> readers = readers(EnumSet.allOf(CheckingReader.Way.class));
        List<Long> times = kills(holder, serving, standby, options);
        Seen seen = assertNobodyNoticed(readers, "killed, with a standby, by loop devices", times);
        assertMedian(seen, times, SHORT_PAUSE);
    }

    /** Kills who serves, again and again; when. */
    private List<Long> kills(Running holder, Running first, Running second, String... options)
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

    /** It has taken requests, keeps its connection, and goes on later as if nothing had been. */
    @Test
    void aStandbyReplacesOneThatIsStopped() throws Exception {
        Running holder = region.holder("--replace-after=2");
        Running serving = region.serving(holder, "pod-0", option);
        Running standby = region.standby(holder, "pod-1", option);
        List<Running> readers = readers();
        awaitAnyMoment();
        long time = CheckingReader.micros();
        serving.signal("STOP");
        awaitServing(standby, holder, time);
        awaitAnyMoment();
        serving.signal("CONT");
        assertThat(serving.process().waitFor(60, TimeUnit.SECONDS)).isTrue();
        assertThat(serving.printed()).contains("another one serves now");
        assertNobodyNoticed(readers, "stopped", List.of(time));
    }

    /** It has not answered the holder once since it can serve, and is the first in line. */
    @Test
    void aStandbyThatWasStoppedWhenItHadJoinedIsPassedOver() throws Exception {
        Running holder = region.holder("--replace-after=2");
        Running serving = region.serving(holder, "pod-0", option);
        Running stopped = region.pod("pod-1", option);
        holder.await("Process %d can serve".formatted(stopped.process().pid()));
        stopped.signal("STOP");
        Running standby = region.standby(holder, "pod-2", option);
        List<Running> readers = readers();
        awaitAnyMoment();
        long killed = serving.kill();
        awaitServing(standby, holder, killed);
        long[] gap = unserved.getLast();
        assertThat(gap[1] - gap[0]).isLessThan(TimeUnit.SECONDS.toMicros(2 + MARGIN_SECONDS));
        assertNobodyNoticed(readers, "killed, with a standby that is stopped", List.of(killed));
    }

    /** It is told to serve while it is stopped, and hears that when another one does. */
    @Test
    void aStandbyThatDidNotServeWhenItWasToldToDoesNotLater() throws Exception {
        Running holder = region.holder("--replace-after=2");
        Running serving = region.serving(holder, "pod-0", option);
        Running stopped = region.pod("pod-1", option);
        holder.await("Process %d can serve".formatted(stopped.process().pid()));
        stopped.signal("STOP");
        List<Running> readers = readers();
        awaitAnyMoment();
        long killed = serving.kill();
        Running next = region.pod("pod-2", option);
        awaitServing(next, holder, killed);
        stopped.signal("CONT");
        assertThat(stopped.process().waitFor(60, TimeUnit.SECONDS)).isTrue();
        assertThat(stopped.printed()).contains("another one serves now");
        assertThat(holder.printed()).doesNotContain(HeldMountFixture.serves(stopped));
        assertNobodyNoticed(readers, "killed, with only one that is stopped", List.of(killed));
    }

    @Test
    void withoutAStandbyReadersWaitForTheNext() throws Exception {
        Running holder = region.holder();
        Running serving = region.serving(holder, "pod-0", option);
        List<Running> readers = readers();
        List<Long> times = new ArrayList<>();
        for (int kill = 0; kill < Math.ceilDiv(KILLS, 4); kill++) {
            awaitAnyMoment();
            long killed = serving.kill();
            times.add(killed);
            serving = region.pod("pod-0", option);
            awaitServing(serving, holder, killed);
        }
        Seen seen = assertNobodyNoticed(readers, "killed, without a standby", times);
        assertMedian(seen, times, LONG_PAUSE);
    }

    @Test
    void anUpgradeIsAPauseAndNoError() throws Exception {
        Running holder = region.holder();
        Running serving = region.serving(holder, "pod-0", option);
        List<Running> readers = readers();
        List<Long> times = new ArrayList<>();
        List<Long> quiet = new ArrayList<>();
        for (int upgrade = 1; upgrade <= Math.ceilDiv(KILLS, 4); upgrade++) {
            Running next = region.standby(holder, "pod-" + upgrade % 2, option);
            quiet.add(CheckingReader.micros());
            LockSupport.parkNanos(Seen.COUNTED.toNanos());
            awaitAnyMoment();
            long asked = CheckingReader.micros();
            times.add(asked);
            assertThat(serving.stop()).isEqualTo(143);
            assertThat(holder.printed())
                    .doesNotContain(
                            "Process %d is gone without".formatted(serving.process().pid()));
            awaitServing(next, holder, asked);
            serving = next;
        }
        Seen seen = assertNobodyNoticed(readers, "upgraded", times);
        assertMedian(seen, times, SHORT_PAUSE);
        report(view + ": at moments without an upgrade", seen, quiet);
    }

    @Test
    void aHolderThatWasKilledGetsTheMountBack() throws Exception {
        Running holder = region.holder();
        Running serving = region.serving(holder, "pod-0", option);
        Running standby = region.standby(holder, "pod-1", option);
        List<Running> readers = readers();
        awaitAnyMoment();
        holder.kill();
        awaitAnyMoment();
        long killed = serving.kill();
        Running next = region.holder();
        assertThat(next.printed()).contains("Took back");
        awaitServing(standby, next, killed);
        Seen seen = HeldMountFixture.end(readers);
        assertNobodyNoticed(seen);
    }

    @Test
    void aNewHolderLeavesTheMountToWhoServesIt() throws Exception {
        Running holder = region.holder();
        Running serving = region.serving(holder, "pod-0", option);
        Running standby = region.standby(holder, "pod-1", option);
        List<Running> readers = readers();
        // So that the other one finds the new holder first.
        long stopped = CheckingReader.micros();
        serving.signal("STOP");
        holder.kill();
        Running next = region.holder();
        serving.signal("CONT");
        awaitServing(serving, next, stopped);
        assertThat(next.printed()).doesNotContain(HeldMountFixture.serves(standby));
        awaitServing(standby, next, serving.kill());
        assertNobodyNoticed(HeldMountFixture.end(readers));
    }

    /** "Reading without the control plane". */
    @Test
    void aPodThatStartsWhileEtcdIsAwayTakesOver() throws Exception {
        Running holder = region.holder();
        Running serving = region.serving(holder, "pod-0", option);
        List<Running> readers = readers();
        region.whileEtcdIsAway(
                () -> {
                    long killed = serving.kill();
                    awaitServing(region.pod("pod-0", option), holder, killed);
                    awaitAnyMoment();
                });
        assertNobodyNoticed(HeldMountFixture.end(readers));
    }

    @Test
    void whenAllAreDeadTheNextHolderMountsAnew() throws Exception {
        assumeThat(view).as("else what is in the page cache stays there").isEqualTo(View.PORTABLE);
        Running holder = region.holder();
        Running serving = region.serving(holder, "pod-0", option);
        Path file = region.root().resolve("small/007");
        byte[] expected = CheckingReader.objects().get("small/007");
        assertThat(file).hasBinaryContent(expected);
        holder.kill();
        serving.kill();
        assertThatThrownBy(() -> Files.list(region.root())).hasMessageContaining("not connected");
        Running next = region.holder();
        assertThat(next.printed()).contains("whose process has died");
        serving = region.pod("pod-0", option);
        next.await(HeldMountFixture.serves(serving));
        assertThat(file).hasBinaryContent(expected);
    }

    @Test
    void aPodStartedBeforeItsHolderWaitsForIt() throws Exception {
        Running pod = region.pod("pod-0", option);
        pod.await("Waiting for a holder");
        Running holder = region.holder();
        holder.await(HeldMountFixture.serves(pod));
        assertThat(region.root().resolve("small/007"))
                .hasBinaryContent(CheckingReader.objects().get("small/007"));
    }

    @Test
    void aHolderThatHadNoDescriptorLeftLetsInWhoWaited() throws Exception {
        Running holder = region.holder();
        holder.limitDescriptors(3);
        Running pod = region.pod("pod-0", option);
        holder.await("No server can connect for now");
        holder.limitDescriptors(1024);
        holder.await(HeldMountFixture.serves(pod));
        assertThat(region.root().resolve("small/007"))
                .hasBinaryContent(CheckingReader.objects().get("small/007"));
    }
}
