package dev.forebay.thread;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.Test;

class CatchAllTest {

    private final List<Throwable> failures = new ArrayList<>();

    @Test
    void runPassesAnErrorToTheHandler() {
        Error error = new OutOfMemoryError("simulated");

        assertThat(
                        CatchAll.run(
                                () -> {
                                    throw error;
                                },
                                failures::add))
                .isFalse();
        assertThat(CatchAll.run(() -> {}, failures::add)).isTrue();

        assertThat(failures).containsExactly(error);
    }

    @Test
    void runIgnoresAFailureOfTheHandler() {
        assertThat(
                        CatchAll.run(
                                () -> {
                                    throw new IOException("simulated");
                                },
                                e -> {
                                    throw new OutOfMemoryError("simulated");
                                }))
                .isFalse();
    }

    @Test
    void anInterruptedThreadStaysInterrupted() {
        boolean _ =
                CatchAll.run(
                        () -> {
                            throw new InterruptedException();
                        },
                        failures::add);

        assertThat(Thread.interrupted()).isTrue();
        assertThat(failures).hasOnlyElementsOfType(InterruptedException.class);
    }

    @Test
    void completeEndsAFutureInAnyCase() {
        CompletableFuture<String> done = new CompletableFuture<>();
        CatchAll.complete(done, () -> "x");
        CompletableFuture<String> failed = new CompletableFuture<>();
        CatchAll.complete(
                failed,
                () -> {
                    throw new StackOverflowError("simulated");
                });

        assertThat(done).isCompletedWithValue("x");
        assertThat(failed.exceptionNow()).isInstanceOf(StackOverflowError.class);
    }

    @Test
    void getReturnsTheSubstituteAfterAFailure() {
        assertThat(CatchAll.<String>get(() -> "x", _ -> "y")).isEqualTo("x");
        assertThat(
                        CatchAll.<String>get(
                                () -> {
                                    throw new OutOfMemoryError("simulated");
                                },
                                Throwable::getMessage))
                .isEqualTo("simulated");
    }

    @Test
    void aPartIsClosedOnlyIfTheWorkFails() throws IOException {
        List<String> closed = new ArrayList<>();
        AutoCloseable part =
                () -> {
                    closed.add("part");
                    throw new IllegalStateException("close");
                };

        assertThat(CatchAll.<String, IOException>closeOnFailure(part, () -> "x")).isEqualTo("x");
        assertThat(closed).isEmpty();

        assertThatThrownBy(
                        () ->
                                CatchAll.closeOnFailure(
                                        part,
                                        () -> {
                                            throw new IOException("work");
                                        }))
                .isInstanceOf(IOException.class)
                .hasMessage("work")
                .satisfies(e -> assertThat(e.getSuppressed()).hasSize(1));
        assertThat(closed).containsExactly("part");
    }
}
