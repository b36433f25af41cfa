package dev.forebay.suite;

import java.io.IOException;
import java.nio.channels.FileChannel;
import java.nio.channels.OverlappingFileLockException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;

/**
 * The lock that a run of the suite holds on its clone. The Makefile runs this class from its source
 * before each build, so it must not depend on any other class.
 */
final class CloneLock {
    static final String REFUSAL =
            "Tests are running in this clone already. A second run would stop what they have"
                    + " started, and a build would replace what they run: wait for their end, or"
                    + " use another clone.";

    private static final Path FILE = Path.of("target/suite/lock");

    /**
     * Keeps the channels reachable: the garbage collector closes a channel, which releases its
     * lock.
     */
    private static final Set<FileChannel> LOCKED = ConcurrentHashMap.newKeySet();

    private CloneLock() {}

    /** Exits with 1 if tests are running in the current directory. */
    @SuppressWarnings("SystemOut")
    public static void main(String[] arguments) throws IOException {
        if (Files.exists(FILE) && !take(Path.of(""))) {
            System.err.println(REFUSAL);
            System.exit(1);
        }
    }

    /** Takes the lock until this process ends. Returns false if another process holds it. */
    static boolean take(Path repository) throws IOException {
        Path file = repository.resolve(FILE);
        Files.createDirectories(file.toAbsolutePath().getParent());
        try {
            FileChannel channel =
                    FileChannel.open(file, StandardOpenOption.CREATE, StandardOpenOption.WRITE);
            LOCKED.add(channel);
            return channel.tryLock() != null;
        } catch (OverlappingFileLockException e) {
            // An earlier run in this process holds it.
            return true;
        }
    }
}
