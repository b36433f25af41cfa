package dev.forebay.devstack.server;

import java.nio.file.Path;

/**
 * A server process that can be hurt on purpose. Thread-safe; operations on one server happen one
 * after the other.
 */
public interface Server extends AutoCloseable {
    /** A short name for messages, such as {@code etcd}. */
    String name();

    /** Everything the server wrote to its output, over all its starts. */
    Path log();

    /** Whether the process is there; a paused one is. */
    boolean isAlive();

    /** Ends the process and its children with SIGKILL, and returns when they are gone. */
    void kill9();

    /** Stops the process in its tracks (SIGSTOP): its sockets stay open and nobody answers. */
    void pause();

    /** Lets a paused process go on. */
    void resume();

    /**
     * Starts the server again, on the same ports and data, and returns when it is ready. If it is
     * alive it is stopped first, in order.
     */
    void restart();

    /** Stops the server in order, after a bounded time by SIGKILL. Its data stay. Idempotent. */
    @Override
    void close();
}
