package dev.forebay.devstack.server;

import java.io.IOException;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import org.jspecify.annotations.Nullable;

/**
 * Reserves ports among JVMs that choose ports at the same time. A JVM locks the byte with the
 * number of the port in a shared file. The kernel releases the locks when the JVM ends, also if it
 * crashes.
 *
 * <p>A chosen port has no listener yet, and the port of a killed server has none for a while.
 * Without the locks, two JVMs could choose the same port.
 */
final class PortLocks {
    private final @Nullable FileChannel channel;

    private PortLocks(@Nullable FileChannel channel) {
        this.channel = channel;
    }

    /**
     * Opens or creates the file, which stays open. If that fails, nothing is locked. Call it once
     * for a file: the kernel releases all locks of a process on a file when the process closes any
     * descriptor of that file.
     */
    static PortLocks in(Path file) {
        try {
            Files.createDirectories(file.toAbsolutePath().getParent());
            return new PortLocks(
                    FileChannel.open(file, StandardOpenOption.CREATE, StandardOpenOption.WRITE));
        } catch (IOException e) {
            return new PortLocks(null);
        }
    }

    /**
     * Reserves a port that this JVM has not reserved before. Returns false if another JVM has it.
     */
    boolean take(int port) {
        try {
            return channel == null || channel.tryLock(port, 1, false) != null;
        } catch (IOException e) {
            return true;
        }
    }
}
