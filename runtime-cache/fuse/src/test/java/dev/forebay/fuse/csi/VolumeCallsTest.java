package dev.forebay.fuse.csi;

import static org.assertj.core.api.Assertions.assertThat;

import dev.forebay.model.ErrorCode;
import dev.forebay.model.ForebayException;
import io.grpc.Context;
import io.grpc.Status;
import io.grpc.stub.ServerCallStreamObserver;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

class VolumeCallsTest {

    private static final Path ONE = Path.of("/pods/1/mount");
    private static final Path TWO = Path.of("/pods/2/mount");
    private static final Path THREE = Path.of("/pods/3/mount");

    /** The deadline of a caller; the last quarter of it is for the answer. */
    private static final Duration HASTE = Duration.ofSeconds(12);

    private final VolumeCalls calls = new VolumeCalls(2, Duration.ofMinutes(5));
    private final CountDownLatch release = new CountDownLatch(1);
    private final ScheduledExecutorService timer = Executors.newSingleThreadScheduledExecutor();

    @AfterEach
    void endAll() {
        release.countDown();
        calls.close();
        timer.shutdownNow();
    }

    /** A caller. */
    private static final class Caller extends ServerCallStreamObserver<String> {

        final CompletableFuture<String> answer = new CompletableFuture<>();
        volatile boolean gone;
        private @Nullable String value;

        @Override
        public void onNext(String next) {
            value = next;
        }

        @Override
        public void onError(Throwable failure) {
            answer.completeExceptionally(failure);
        }

        @Override
        public void onCompleted() {
            answer.complete(value);
        }

        @Override
        public boolean isCancelled() {
            return gone;
        }

        @Override
        public void setOnCancelHandler(Runnable handler) {}

        @Override
        public void setCompression(String compression) {}

        @Override
        public boolean isReady() {
            return true;
        }

        @Override
        public void setOnReadyHandler(Runnable handler) {}

        @Override
        public void request(int count) {}

        @Override
        public void setMessageCompression(boolean enable) {}

        @Override
        public void disableAutoInboundFlowControl() {}

        Status refusal() throws InterruptedException {
            try {
                throw new AssertionError("was told " + answer.get());
            } catch (ExecutionException e) {
                return Status.fromThrowable(e);
            }
        }
    }

    private Caller publish(Path target, VolumeCalls.Work<String> work) {
        Caller caller = new Caller();
        calls.publish(target, caller, work);
        return caller;
    }

    /** Blocks like a thread that is stuck in the kernel. */
    private String stuck(CallTimeout ignored) {
        try {
            release.await();
        } catch (InterruptedException e) {
            throw new AssertionError(e);
        }
        return "done";
    }

    private static String forEver(CallTimeout timeout) throws IOException {
        timeout.await(() -> false, Duration.ofMinutes(5), () -> "it is not there");
        throw new AssertionError();
    }

    @Test
    void aCallReturnsTheResultOrFailureOfItsWork() throws Exception {
        assertThat(publish(ONE, _ -> "done").answer.get()).isEqualTo("done");
        Status refusal =
                publish(
                                ONE,
                                _ -> {
                                    throw new ForebayException(
                                            ErrorCode.ALREADY_EXISTS, "another one");
                                })
                        .refusal();
        assertThat(refusal.getCode()).isEqualTo(Status.Code.ALREADY_EXISTS);
        assertThat(refusal.getDescription()).isEqualTo("another one");
    }

    /** Inherited by the threads that run calls. */
    private static final class FailingThreads extends InheritableThreadLocal<String> {
        private boolean fail;

        @Override
        protected String childValue(String parents) {
            if (fail) {
                throw new OutOfMemoryError("simulated");
            }
            return parents;
        }
    }

    @Test
    void aCallThatGetsNoThreadDoesNotCountAsRunning() throws Exception {
        FailingThreads threads = new FailingThreads();
        threads.set("inherited");
        try {
            threads.fail = true;
            for (int i = 0; i < 3; i++) {
                assertThat(publish(ONE, _ -> "done").refusal().getCode())
                        .isEqualTo(Status.Code.UNAVAILABLE);
            }
            threads.fail = false;
            assertThat(publish(ONE, _ -> "done").answer.get()).isEqualTo("done");
        } finally {
            threads.remove();
        }
    }

    @Test
    void eachTargetHasOneCallAtATime() throws Exception {
        Caller first = publish(ONE, this::stuck);

        Caller second = new Caller();
        calls.unpublish(ONE, second, _ -> "not reached");
        assertThat(second.refusal().getCode()).isEqualTo(Status.Code.ABORTED);
        assertThat(second.refusal().getDescription()).contains("target_path /pods/1/mount");
        assertThat(publish(TWO, _ -> "other").answer.get()).isEqualTo("other");

        release.countDown();
        assertThat(first.answer.get()).isEqualTo("done");
        assertThat(publish(ONE, _ -> "again").answer.get()).isEqualTo("again");
    }

    @Test
    void unpublishSucceedsWhilePublishCallsReachTheirLimit() throws Exception {
        Caller _ = publish(ONE, this::stuck);
        Caller _ = publish(TWO, this::stuck);

        assertThat(publish(THREE, this::stuck).refusal().getCode())
                .isEqualTo(Status.Code.RESOURCE_EXHAUSTED);
        Caller leaving = new Caller();
        calls.unpublish(THREE, leaving, _ -> "gone");
        assertThat(leaving.answer.get()).isEqualTo("gone");
    }

    /** While no process serves a mount, an access to it blocks in the kernel. */
    @Test
    void aCallStuckInTheKernelFailsBeforeItsDeadline() throws Exception {
        Caller caller = new Caller();
        Context.current()
                .withDeadlineAfter(HASTE.toSeconds(), TimeUnit.SECONDS, timer)
                .run(() -> calls.publish(ONE, caller, this::stuck));
        long begin = System.nanoTime();

        assertThat(caller.refusal().getCode()).isEqualTo(Status.Code.UNAVAILABLE);
        assertThat(caller.refusal().getDescription()).contains("does not answer");
        assertThat(Duration.ofNanos(System.nanoTime() - begin)).isLessThan(HASTE);
        assertThat(publish(ONE, _ -> "not reached").refusal().getCode())
                .as("its thread may still mount something")
                .isEqualTo(Status.Code.ABORTED);
    }

    @Test
    void aWaitEndsBeforeTheDeadlineAndReportsReasonAndDuration() throws Exception {
        Caller caller = new Caller();
        Context.current()
                .withDeadlineAfter(HASTE.toSeconds(), TimeUnit.SECONDS, timer)
                .run(() -> calls.publish(ONE, caller, VolumeCallsTest::forEver));

        assertThat(caller.refusal().getCode()).isEqualTo(Status.Code.UNAVAILABLE);
        assertThat(caller.refusal().getDescription())
                .matches("it is not there; waited [89]\\.\\d s");
    }

    @Test
    void aWaitEndsWhenItsCallerLeavesOrTheDriverStops() throws Exception {
        Caller one = publish(ONE, VolumeCallsTest::forEver);
        Caller two = publish(TWO, VolumeCallsTest::forEver);

        one.gone = true;
        assertThat(one.refusal().getCode()).isEqualTo(Status.Code.UNAVAILABLE);
        assertThat(two.answer).isNotDone();
        calls.stop();
        assertThat(two.refusal().getCode()).isEqualTo(Status.Code.UNAVAILABLE);
    }
}
