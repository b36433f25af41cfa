package dev.forebay.devstack.server;

import java.io.IOException;

/** Starts processes that end with this JVM, however the JVM ends. */
public final class ChildProcess {

    private ChildProcess() {}

    /**
     * Starts a process that the kernel kills when this JVM ends, also by kill -9. Its id is that of
     * the program itself.
     *
     * @param builder its command is changed
     */
    public static Process start(ProcessBuilder builder) throws IOException {
        return Spawner.startTethered(builder);
    }
}
