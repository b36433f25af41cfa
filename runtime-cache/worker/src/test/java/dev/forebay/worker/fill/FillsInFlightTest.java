package dev.forebay.worker.fill;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.forebay.model.ChunkId;
import dev.forebay.model.Digest;
import dev.forebay.model.ErrorCode;
import dev.forebay.model.ForebayException;
import dev.forebay.model.PackId;
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

/** Several callers that need the chunk of one fill. */
class FillsInFlightTest {

    private static final int CALLERS = 5;
    private static final Duration TIMEOUT = Duration.ofSeconds(30);
    private static final ChunkId CHUNK = new ChunkId(PackId.parse("ab".repeat(32)), 0);
    private static final Digest MANIFEST = new Digest("c".repeat(64));

    private final FillsInFlight<Integer> flights = new FillsInFlight<>();
    private final AtomicInteger fills = new AtomicInteger();
    private final CountDownLatch allWait = new CountDownLatch(1);

    private FillsInFlight.Landed<Integer> join(FillsInFlight.Work<Integer> work) {
        return flights.join(CHUNK, MANIFEST, Urgency.demand(), false, TIMEOUT, work).orElseThrow();
    }

    /** Makes all callers join before the fill continues with {@code work}. */
    private List<FutureTask<FillsInFlight.Landed<Integer>>> joinAll(
            FillsInFlight.Work<Integer> work) throws InterruptedException {
        List<FutureTask<FillsInFlight.Landed<Integer>>> callers = new ArrayList<>();
        for (int i = 0; i < CALLERS; i++) {
            FutureTask<FillsInFlight.Landed<Integer>> caller =
                    new FutureTask<>(() -> join((urgency, part) -> fill(work, urgency, part)));
            callers.add(caller);
            awaitWaiting(Thread.ofPlatform().daemon().start(caller));
        }
        allWait.countDown();
        return callers;
    }

    private int fill(FillsInFlight.Work<Integer> work, Urgency urgency, Runnable part) {
        fills.incrementAndGet();
        try {
            assertThat(allWait.await(TIMEOUT.toSeconds(), TimeUnit.SECONDS)).isTrue();
        } catch (InterruptedException e) {
            throw new AssertionError(e);
        }
        return work.run(urgency, part);
    }

    private static void awaitWaiting(Thread thread) {
        long deadline = System.nanoTime() + TIMEOUT.toNanos();
        while (thread.getState() != Thread.State.TIMED_WAITING) {
            assertThat(System.nanoTime()).isLessThan(deadline);
            LockSupport.parkNanos(1_000_000);
        }
    }

    @Test
    void theRestIsUrgentOnlyIfTheCallerWaitsForTheWholeChunk() {
        assertThat(join((urgency, _) -> restDemanded(urgency)).result()).contains(1);
        assertThat(
                        flights.join(
                                        CHUNK,
                                        MANIFEST,
                                        Urgency.demand(),
                                        true,
                                        TIMEOUT,
                                        (urgency, _) -> restDemanded(urgency))
                                .orElseThrow()
                                .result())
                .contains(0);
    }

    private static int restDemanded(Urgency urgency) {
        return urgency.ofRest().demanded() ? 1 : 0;
    }

    @Test
    void allCallersShareOneFill() throws Exception {
        int begun = 0;
        for (var caller : joinAll((_, _) -> 42)) {
            FillsInFlight.Landed<Integer> landed = caller.get(30, TimeUnit.SECONDS);
            assertThat(landed.result()).contains(42);
            begun += landed.begun() ? 1 : 0;
        }
        assertThat(begun).as("callers that began the fill").isOne();
        assertThat(fills).hasValue(1);
        assertThat(flights.count()).isZero();
    }

    @Test
    void aFailureReachesAllCallersAndIsNotRemembered() throws Exception {
        assertAllFailAndTheNextOneDoesNot(
                () -> {
                    throw new ForebayException(ErrorCode.LAKE_DENIED, "no right to read it");
                },
                ErrorCode.LAKE_DENIED);
    }

    /** An Error could end the fill's thread silently and leave all callers waiting. */
    @Test
    void anErrorReachesAllCallersAndIsNotRemembered() throws Exception {
        assertAllFailAndTheNextOneDoesNot(
                () -> {
                    throw new OutOfMemoryError("simulated");
                },
                ErrorCode.INTERNAL);
    }

    private void assertAllFailAndTheNextOneDoesNot(Runnable failing, ErrorCode code)
            throws Exception {
        FillsInFlight.Work<Integer> work =
                (_, _) -> {
                    failing.run();
                    return 0;
                };
        for (var caller : joinAll(work)) {
            assertThatThrownBy(() -> caller.get(30, TimeUnit.SECONDS))
                    .cause()
                    .isInstanceOfSatisfying(
                            ForebayException.class, e -> assertThat(e.code()).isEqualTo(code));
        }
        assertThat(fills).hasValue(1);
        assertThat(flights.count()).isZero();

        assertThat(join((_, _) -> 7)).isEqualTo(new FillsInFlight.Landed<>(Optional.of(7), true));
    }

    /** Without this, a prefetch would wait until readers stop requesting chunks. */
    @Test
    void awaitLandedMakesRunningFillsUrgent() {
        Urgency prefetch = Urgency.prefetch();
        Thread prefetcher =
                Thread.startVirtualThread(
                        () ->
                                flights.join(
                                        CHUNK,
                                        MANIFEST,
                                        prefetch,
                                        false,
                                        TIMEOUT,
                                        (urgency, _) -> awaitDemand(urgency)));
        while (flights.count() == 0) {
            assertThat(prefetcher.isAlive()).isTrue();
            Thread.onSpinWait();
        }

        flights.awaitLanded(_ -> true, TIMEOUT);

        assertThat(flights.count()).isZero();
    }

    private static int awaitDemand(Urgency urgency) {
        long deadline = System.nanoTime() + 2 * TIMEOUT.toNanos();
        while (!urgency.demanded() && System.nanoTime() < deadline) {
            LockSupport.parkNanos(1_000_000);
        }
        return 0;
    }
}
