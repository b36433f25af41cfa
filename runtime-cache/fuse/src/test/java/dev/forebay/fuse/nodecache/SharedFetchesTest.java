package dev.forebay.fuse.nodecache;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.forebay.model.Digest;
import dev.forebay.model.ErrorCode;
import dev.forebay.model.ForebayException;
import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.FutureTask;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.locks.LockSupport;
import org.junit.jupiter.api.Test;

/** One thread fetches a piece, and others that need it wait. */
class SharedFetchesTest {

    private static final int OTHERS = 4;
    private static final Duration TIMEOUT = Duration.ofSeconds(30);

    private final SharedFetches flights = new SharedFetches();
    private final AtomicInteger flown = new AtomicInteger();
    private final CountDownLatch allWait = new CountDownLatch(1);

    private final List<FutureTask<Optional<Integer>>> others = new ArrayList<>();

    private FutureTask<Optional<Integer>> start(
            Digest manifest, Thread.State then, SharedFetches.Flight<Integer> flight) {
        FutureTask<Optional<Integer>> caller =
                new FutureTask<>(() -> flights.lead(manifest, TestPack.ID, 0, flight));
        Thread thread = Thread.ofPlatform().daemon().start(caller);
        long deadline = System.nanoTime() + TIMEOUT.toNanos();
        while (thread.getState() != then) {
            assertThat(System.nanoTime()).isLessThan(deadline);
            LockSupport.parkNanos(1_000_000);
        }
        return caller;
    }

    /** Starts the fetching thread, and returns when all others wait for it. */
    private FutureTask<Optional<Integer>> lead(SharedFetches.Flight<Integer> flight) {
        FutureTask<Optional<Integer>> leader =
                start(TestPack.ALL, Thread.State.WAITING, () -> fly(flight));
        for (int i = 0; i < OTHERS; i++) {
            others.add(start(TestPack.ALL, Thread.State.TIMED_WAITING, () -> fly(flight)));
        }
        return leader;
    }

    private int fly(SharedFetches.Flight<Integer> flight) throws IOException {
        flown.incrementAndGet();
        try {
            allWait.await();
        } catch (InterruptedException e) {
            throw new AssertionError(e);
        }
        return flight.run();
    }

    private static <T> T get(FutureTask<T> caller) throws Exception {
        return caller.get(TIMEOUT.toSeconds(), TimeUnit.SECONDS);
    }

    private void assertTheNextOneTriesAgain() throws IOException {
        assertThat(flown).as("fetches").hasValue(1);
        assertThat(flights.lead(TestPack.ALL, TestPack.ID, 0, () -> 7)).contains(7);
    }

    @Test
    void waitingThreadsCheckAgainAfterTheFetch() throws Exception {
        FutureTask<Optional<Integer>> leader = lead(() -> 42);
        allWait.countDown();
        assertThat(get(leader)).contains(42);
        for (FutureTask<Optional<Integer>> other : others) {
            assertThat(get(other)).isEmpty();
        }
        assertTheNextOneTriesAgain();
    }

    @Test
    void aFailureReachesAllThreadsOfItsVersionAndIsForgotten() throws Exception {
        FutureTask<Optional<Integer>> leader =
                lead(
                        () -> {
                            throw new ForebayException(ErrorCode.UNAVAILABLE, "no worker has it");
                        });
        FutureTask<Optional<Integer>> ofAnotherVersion =
                start(TestPack.SOME, Thread.State.TIMED_WAITING, () -> fly(() -> 1));
        allWait.countDown();
        others.add(leader);
        for (FutureTask<Optional<Integer>> each : others) {
            assertThatThrownBy(() -> get(each))
                    .cause()
                    .isInstanceOf(ForebayException.class)
                    .hasMessage("no worker has it");
        }
        assertThat(get(ofAnotherVersion)).as("the other version may have the piece").isEmpty();
        assertTheNextOneTriesAgain();
    }

    /** The failure belongs to the thread that met it. The others try again without a delay. */
    @Test
    void anErrorReleasesTheWaitingThreads() throws Exception {
        FutureTask<Optional<Integer>> leader =
                lead(
                        () -> {
                            throw new OutOfMemoryError("simulated");
                        });
        allWait.countDown();
        assertThatThrownBy(() -> get(leader)).hasCauseInstanceOf(OutOfMemoryError.class);
        for (FutureTask<Optional<Integer>> other : others) {
            assertThat(get(other)).isEmpty();
        }
        assertTheNextOneTriesAgain();
    }
}
