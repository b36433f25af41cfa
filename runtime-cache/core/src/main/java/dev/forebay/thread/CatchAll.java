package dev.forebay.thread;

import java.util.concurrent.Callable;
import java.util.concurrent.CompletableFuture;
import java.util.function.Consumer;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * Handles every failure of some work, including an {@link Error} such as a lack of memory or
 * threads. Without this, a caller could wait forever, or a part stay open. Stateless.
 */
public final class CatchAll {

    private CatchAll() {}

    /** Work without a result. */
    @FunctionalInterface
    public interface Work {
        void run() throws Exception;
    }

    /**
     * Work with a result.
     *
     * @param <E> what it throws, besides unchecked exceptions
     */
    @FunctionalInterface
    public interface Body<T extends @Nullable Object, E extends Exception> {
        T run() throws E;
    }

    /**
     * Runs work and throws nothing. After an interruption, the thread stays interrupted.
     *
     * @param failed receives the failure. Its own failure is ignored: memory may be too short for a
     *     log message.
     * @return whether the work succeeded
     */
    public static boolean run(Work work, Consumer<? super Throwable> failed) {
        try {
            work.run();
            return true;
        } catch (Throwable e) {
            keepInterruption(e);
            report(e, failed);
            return false;
        }
    }

    private static void report(Throwable failure, Consumer<? super Throwable> failed) {
        try {
            failed.accept(failure);
        } catch (Throwable worse) {
            // The caller's next work matters more.
        }
    }

    /**
     * Returns the result of the work, or a substitute if it fails.
     *
     * @param otherwise receives the failure, and must not fail
     */
    public static <T extends @Nullable Object> T get(
            Callable<T> work, Function<? super Throwable, T> otherwise) {
        try {
            return work.call();
        } catch (Throwable e) {
            keepInterruption(e);
            return otherwise.apply(e);
        }
    }

    private static void keepInterruption(Throwable failure) {
        if (failure instanceof InterruptedException) {
            Thread.currentThread().interrupt();
        }
    }

    /**
     * Completes a future with the result of the work, or with its failure. Throws nothing, and
     * needs no memory itself.
     */
    public static <T extends @Nullable Object> void complete(
            CompletableFuture<T> future, Callable<T> work) {
        try {
            future.complete(work.call());
        } catch (Throwable e) {
            keepInterruption(e);
            future.completeExceptionally(e);
        }
    }

    /**
     * Returns the result of the work. If it fails, closes a part and throws the failure, with that
     * of the close attached.
     *
     * @param part closed only if the work fails
     * @throws E as {@code work} does
     */
    public static <T extends @Nullable Object, E extends Exception> T closeOnFailure(
            AutoCloseable part, Body<T, E> work) throws E {
        try {
            return work.run();
        } catch (Throwable e) {
            close(part, e);
            throw e;
        }
    }

    private static void close(AutoCloseable part, Throwable failure) {
        try {
            part.close();
        } catch (Throwable worse) {
            if (worse != failure) {
                failure.addSuppressed(worse);
            }
        }
    }
}
