package dev.forebay.devstack.server;

import java.io.IOException;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import org.jspecify.annotations.Nullable;

/**
 * Which ports this JVM has chosen, for other JVMs that choose at the same time: of a file they
 * share, the byte of that number is locked. The kernel takes the locks away when the JVM ends,
 * however it does.
 *
 * <p>A port that was chosen is not listened on yet, and one whose server was killed is not for a
 * while: without this, two JVMs may come to the same.
 */
final class PortLocks {
    private final @Nullable FileChannel channel;

    private PortLocks(@Nullable FileChannel channel) {
        this.channel = channel;
    }

    /**
     * By a file, which is made if it is not there and stays open; if it cannot be, nothing is
     * locked. To be called once for a file: the kernel takes all of a process's locks of a file
     * away when any of its descriptors of it is closed.
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

    /** Takes a port that this JVM has not taken before, unless another JVM has. */
    boolean take(int port) {
        try {
            return channel == null || channel.tryLock(port, 1, false) != null;
        } catch (IOException e) {
            return true;
        }
    }
}
