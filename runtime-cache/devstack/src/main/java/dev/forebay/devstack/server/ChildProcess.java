package dev.forebay.devstack.server;

import java.io.IOException;

/** Starts processes that end with this JVM, also if it crashes. */
public final class ChildProcess {

    private ChildProcess() {}

    /**
     * Starts a process that the kernel kills when this JVM ends, also by kill -9. The process id is
     * that of the program itself.
     *
     * @param builder this method changes its command
     */
    public static Process start(ProcessBuilder builder) throws IOException {
        return Spawner.startTethered(builder);
    }
}
