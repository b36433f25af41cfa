package dev.forebay.fuse.fs;

import dev.forebay.model.Seconds;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.ClosedByInterruptException;
import java.nio.channels.FileChannel;
import java.nio.channels.FileLock;
import java.nio.channels.FileLockInterruptionException;
import java.nio.channels.OverlappingFileLockException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.time.Duration;
import java.util.HashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executor;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import java.util.function.Function;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.zip.CRC32C;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Assigns inode numbers that are the same on every node, and in every process that serves a mount.
 *
 * <p>The upper 32 bits of a number identify the version, and are 0 for the directories above
 * versions. The lower 32 bits are the node's id in the manifest, or identify the directory above
 * versions. A number derived from a name is the CRC-32C of the name. If two names have the same
 * CRC, the later one takes the next free number. A ledger keeps that number, so a kernel never sees
 * another file under a number that it knows. Safe for use by many threads, and by many processes
 * that share a ledger.
 */
public final class InodeNumbers {

    private static final Logger LOG = LoggerFactory.getLogger(InodeNumbers.class);

    /** The delay before unwritten numbers are written to the ledger again. */
    private static final Duration RETRY = Duration.ofSeconds(30);

    /** The timeout for the lock on the ledger: a process that is stopped keeps its lock. */
    private static final Duration LOCK_TIMEOUT = Duration.ofSeconds(2);

    private static final long LOCK_PAUSE_NANOS = Duration.ofMillis(5).toNanos();

    private static final Pattern LINE =
            Pattern.compile(
                    "(?<checksum>[0-9a-f]{8}) (?<entry>(?<number>[0-9]{1,10}) (?<name>[^ ]+))");

    private static final int POSITIVE = 0x7fffffff;
    private static final long ID_MASK = 0xffffffffL;

    private final @Nullable Path ledger;
    private final Executor later;

    // Guarded by this.
    private final Map<String, Integer> numbers = new HashMap<>();

    /** The name of each assigned number. Reserved numbers have the empty name. */
    private final Map<Integer, String> owners =
            new HashMap<>(Map.of(0, "", (int) FileSystemView.ROOT, ""));

    /** The names that could not be written to the ledger yet. */
    private final Set<String> unwritten = new LinkedHashSet<>();

    private boolean retrying;
    private long read;

    private InodeNumbers(@Nullable Path ledger, Duration retry) {
        this.ledger = ledger;
        this.later = CompletableFuture.delayedExecutor(retry.toNanos(), TimeUnit.NANOSECONDS);
    }

    /** Returns numbers that only this process remembers. */
    public static InodeNumbers unkept() {
        return new InodeNumbers(null, RETRY);
    }

    /**
     * Returns numbers that a ledger file remembers. Each line of the file has a CRC-32C of the
     * rest, the number in decimal, and the name. Damaged lines are skipped.
     *
     * @param ledger created if it does not exist
     */
    public static InodeNumbers keptIn(Path ledger) {
        return keptIn(ledger, RETRY);
    }

    /**
     * @param retry the delay before unwritten numbers are written again
     */
    static InodeNumbers keptIn(Path ledger, Duration retry) {
        return new InodeNumbers(ledger, retry);
    }

    /**
     * Returns the numbers of names. New numbers are written to the ledger first. If that fails, a
     * warning is logged, this process remembers the numbers, and the write is retried until it
     * succeeds.
     */
    synchronized Map<String, Integer> of(List<String> names) {
        if (ledger != null && !numbers.keySet().containsAll(names)) {
            names.stream().filter(name -> !numbers.containsKey(name)).forEach(unwritten::add);
            write(ledger);
        }
        return names.stream()
                .distinct()
                .collect(Collectors.toMap(Function.identity(), this::numberOf));
    }

    /** Writes the unwritten numbers, and schedules retries if that fails. */
    private synchronized void write(Path file) {
        try {
            enter(file);
            unwritten.clear();
        } catch (ClosedByInterruptException | FileLockInterruptionException e) {
            // The thread that shows mounts was asked to end.
            LOG.debug("Not storing inode numbers in {}: {}", file, e.toString());
        } catch (IOException e) {
            if (!retrying) {
                LOG.warn("Cannot store inode numbers in {}; retrying: {}", file, e.toString());
                retrying = true;
                tryLater(file);
            }
        }
    }

    private void tryLater(Path file) {
        later.execute(() -> retry(file));
    }

    private synchronized void retry(Path file) {
        write(file);
        if (unwritten.isEmpty()) {
            retrying = false;
            LOG.info("Storing inode numbers in {} again", file);
        } else {
            tryLater(file);
        }
    }

    private int numberOf(String name) {
        Integer known = numbers.get(name);
        if (known != null) {
            return known;
        }
        int number = checksum(name) & POSITIVE;
        while (owners.putIfAbsent(number, name) != null) {
            number = (number + 1) & POSITIVE;
        }
        numbers.put(name, number);
        return number;
    }

    private void enter(Path file) throws IOException {
        try (FileChannel channel =
                        FileChannel.open(
                                file,
                                StandardOpenOption.CREATE,
                                StandardOpenOption.READ,
                                StandardOpenOption.WRITE);
                FileLock _ = locked(channel)) {
            if (channel.size() < read) {
                LOG.warn("{} was truncated or removed; writing it again", file);
                read = 0;
                unwritten.addAll(numbers.keySet());
            }
            readWhatOthersWrote(channel);
            StringBuilder lines = new StringBuilder();
            for (String name : unwritten) {
                int number = numberOf(name);
                // Otherwise another process has given the number to another name in the meantime.
                if (name.equals(owners.get(number))) {
                    lines.append(line(number, name));
                }
            }
            ByteBuffer bytes = StandardCharsets.UTF_8.encode(lines.toString());
            // Overwrites a line that a process left unfinished when it died.
            channel.truncate(read);
            long end = read;
            while (bytes.hasRemaining()) {
                end += channel.write(bytes, end);
            }
            channel.force(true);
            read = end;
        }
    }

    private static FileLock locked(FileChannel channel) throws IOException {
        long deadline = System.nanoTime() + LOCK_TIMEOUT.toNanos();
        FileLock lock = tryLock(channel);
        while (lock == null) {
            if (deadline - System.nanoTime() <= 0) {
                throw new IOException(
                        "another process has locked it for " + Seconds.of(LOCK_TIMEOUT));
            }
            LockSupport.parkNanos(LOCK_PAUSE_NANOS);
            if (Thread.currentThread().isInterrupted()) {
                throw new FileLockInterruptionException();
            }
            lock = tryLock(channel);
        }
        return lock;
    }

    /** Returns null if another process, or another mount of this process, holds the lock. */
    private static @Nullable FileLock tryLock(FileChannel channel) throws IOException {
        try {
            return channel.tryLock();
        } catch (OverlappingFileLockException inThisProcess) {
            return null;
        }
    }

    private void readWhatOthersWrote(FileChannel channel) throws IOException {
        ByteBuffer bytes = ByteBuffer.allocate(Math.toIntExact(channel.size() - read));
        int more = 0;
        while (bytes.hasRemaining() && more >= 0) {
            more = channel.read(bytes, read + bytes.position());
        }
        int start = 0;
        for (int end = 0; end < bytes.position(); end++) {
            if (bytes.get(end) == '\n') {
                learn(new String(bytes.array(), start, end - start, StandardCharsets.UTF_8));
                start = end + 1;
            }
        }
        read += start;
    }

    private static String line(int number, String name) {
        String entry = number + " " + name;
        return "%08x %s\n".formatted(checksum(entry), entry);
    }

    private static int checksum(String text) {
        CRC32C crc = new CRC32C();
        crc.update(text.getBytes(StandardCharsets.UTF_8));
        return (int) crc.getValue();
    }

    private void learn(String line) {
        Matcher parts = LINE.matcher(line);
        if (!parts.matches() || !isRight(parts)) {
            // The name gets a number like a new name, which is nearly always the same number.
            LOG.warn("Ignoring a damaged line of inode numbers: '{}'", line);
            return;
        }
        int number = Integer.parseInt(parts.group("number"));
        String name = parts.group("name");
        owners.put(number, name);
        unwritten.remove(name);
        // A number that was handed out stays until this process ends, because a kernel knows it.
        numbers.putIfAbsent(name, number);
    }

    private static boolean isRight(Matcher line) {
        return checksum(line.group("entry"))
                == Integer.parseUnsignedInt(line.group("checksum"), 16);
    }

    static long of(int version, long nodeId) {
        if (nodeId > ID_MASK) {
            throw new IllegalArgumentException("node id " + nodeId + " needs more than 32 bits");
        }
        return ((long) version << 32) | nodeId;
    }

    static int versionOf(long inode) {
        return (int) (inode >>> 32);
    }

    static long nodeIdOf(long inode) {
        return inode & ID_MASK;
    }
}
