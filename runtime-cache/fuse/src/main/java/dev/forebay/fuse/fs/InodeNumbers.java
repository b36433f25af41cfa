package dev.forebay.fuse.fs;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.channels.FileLock;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.Function;
import java.util.stream.Collectors;
import java.util.zip.CRC32C;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Inode numbers that are the same on every node, and in every process that serves a mount.
 *
 * <p>The upper half of a number says which version, 0 for the levels above; the lower half is the
 * node's id in the manifest, or says which directory above. What comes from a name is its CRC-32C;
 * in the rare case that two names have the same, the later one takes the next free number and keeps
 * it for as long as the ledger is kept. A kernel that knows a file by its number so never gets
 * another one under it. Safe for use by many threads, and by many processes that share a ledger.
 */
public final class InodeNumbers {

    private static final Logger LOG = LoggerFactory.getLogger(InodeNumbers.class);
    private static final int POSITIVE = 0x7fffffff;
    private static final long ID_MASK = 0xffffffffL;

    private final @Nullable Path ledger;

    // Guarded by this.
    private final Map<String, Integer> numbers = new HashMap<>();
    private final Set<Integer> taken = new HashSet<>(Set.of(0, (int) FileSystemView.ROOT));
    private long read;

    private InodeNumbers(@Nullable Path ledger) {
        this.ledger = ledger;
    }

    /** Numbers that are remembered by this process alone. */
    public static InodeNumbers unkept() {
        return new InodeNumbers(null);
    }

    /**
     * Numbers that are remembered in a file: a line for each, the number in decimal, a space and
     * the name.
     *
     * @param ledger made if it is not there
     */
    public static InodeNumbers keptIn(Path ledger) {
        return new InodeNumbers(ledger);
    }

    /**
     * The numbers of names, new ones after they have been written down. If that fails it is logged
     * and they are remembered by this process alone.
     */
    synchronized Map<String, Integer> of(List<String> names) {
        if (ledger != null && !numbers.keySet().containsAll(names)) {
            try {
                enter(ledger, names);
            } catch (IOException e) {
                LOG.warn("Cannot keep inode numbers in {}: {}", ledger, e.toString());
            }
        }
        return names.stream()
                .distinct()
                .collect(Collectors.toMap(Function.identity(), this::numberOf));
    }

    private int numberOf(String name) {
        Integer known = numbers.get(name);
        if (known != null) {
            return known;
        }
        CRC32C crc = new CRC32C();
        crc.update(name.getBytes(StandardCharsets.UTF_8));
        int number = (int) crc.getValue() & POSITIVE;
        while (!taken.add(number)) {
            number = (number + 1) & POSITIVE;
        }
        numbers.put(name, number);
        return number;
    }

    private void enter(Path file, List<String> names) throws IOException {
        try (FileChannel channel =
                        FileChannel.open(
                                file,
                                StandardOpenOption.CREATE,
                                StandardOpenOption.READ,
                                StandardOpenOption.WRITE);
                FileLock _ = channel.lock()) {
            readWhatOthersWrote(channel);
            StringBuilder lines = new StringBuilder();
            for (String name : names) {
                if (!numbers.containsKey(name)) {
                    lines.append(numberOf(name)).append(' ').append(name).append('\n');
                }
            }
            ByteBuffer bytes = StandardCharsets.UTF_8.encode(lines.toString());
            // In the place of a line that a process did not finish before it died.
            channel.truncate(read);
            while (bytes.hasRemaining()) {
                read += channel.write(bytes, read);
            }
            channel.force(true);
        }
    }

    private void readWhatOthersWrote(FileChannel channel) throws IOException {
        ByteBuffer bytes = ByteBuffer.allocate(Math.toIntExact(channel.size() - read));
        int more = 0;
        while (bytes.hasRemaining() && more >= 0) {
            more = channel.read(bytes, read + bytes.position());
        }
        String text = new String(bytes.array(), 0, bytes.position(), StandardCharsets.UTF_8);
        int start = 0;
        for (int end = text.indexOf('\n'); end >= 0; end = text.indexOf('\n', start)) {
            learn(text.substring(start, end));
            start = end + 1;
        }
        read += text.substring(0, start).getBytes(StandardCharsets.UTF_8).length;
    }

    private void learn(String line) throws IOException {
        int space = line.indexOf(' ');
        try {
            int number = Integer.parseInt(line, 0, Math.max(space, 0), 10);
            taken.add(number);
            numbers.put(line.substring(space + 1), number);
        } catch (NumberFormatException e) {
            throw new IOException("damaged line '%s'".formatted(line), e);
        }
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
