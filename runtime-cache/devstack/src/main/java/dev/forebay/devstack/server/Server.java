package dev.forebay.devstack.server;

import java.nio.file.Path;

/**
 * A server process to which tests can apply faults. Thread-safe; operations on one server happen
 * one after the other.
 */
public interface Server extends AutoCloseable {
    /** Returns a short name for messages, such as {@code etcd}. */
    String name();

    /** Returns the log with all output of the server, over all its starts. */
    Path log();

    /** Returns whether the process exists. A paused process does. */
    boolean isAlive();

    /** Ends the process and its children with SIGKILL, and returns when they have ended. */
    void kill9();

    /** Pauses the process (SIGSTOP): its sockets stay open without an answer. */
    void pause();

    /** Resumes a paused process. */
    void resume();

    /**
     * Starts the server again, on the same ports and data, and returns when it is ready. Stops a
     * running server in order first.
     */
    void restart();

    /** Stops the server in order, after a time limit by SIGKILL. Its data stay. Idempotent. */
    @Override
    void close();
}
