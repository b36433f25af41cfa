package dev.forebay.membership.rows;

import static java.nio.charset.StandardCharsets.UTF_8;

import com.fasterxml.jackson.databind.json.JsonMapper;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.channels.FileLock;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.StandardOpenOption;
import java.util.Map;
import java.util.Optional;
import java.util.zip.CRC32C;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Stores a copy of a region's keys in a file, for processes that start while etcd is away. Several
 * processes may share the file. Each write replaces the whole file or nothing. A failed read or
 * write only logs a warning, because etcd has the original. Not thread-safe.
 *
 * <p>The file begins with the CRC-32C of the rest in eight hexadecimal digits, and a line feed. A
 * JSON object follows, with the region's root, its keys and their values.
 */
public final class RegionFile {

    private static final Logger LOG = LoggerFactory.getLogger(RegionFile.class);
    private static final JsonMapper JSON = JsonMapper.builder().build();
    private static final int CHECKSUM_DIGITS = 8;

    /** A region with 100,000 versions needs 40 MB. */
    private static final long MAX_BYTES = 256L << 20;

    private record Content(String root, Map<String, String> keys) {}

    private final Path file;
    private final String root;
    private boolean failing;

    public RegionFile(Path file, String root) {
        this.file = file;
        this.root = root;
    }

    /**
     * Writes the keys to the file.
     *
     * @param keys without the region's root
     * @return false if the write failed, or another process is writing
     */
    public boolean write(Map<String, String> keys) {
        try (FileChannel guard = openToWrite(sibling(".lock"));
                FileLock lock = guard.tryLock()) {
            if (lock == null) {
                return false;
            }
            byte[] content = JSON.writeValueAsBytes(new Content(root, keys));
            byte[] head = (checksum(content, 0) + "\n").getBytes(UTF_8);
            Path unfinished = sibling(".new");
            try (FileChannel channel = openToWrite(unfinished)) {
                channel.truncate(0);
                writeAll(channel, head);
                writeAll(channel, content);
                channel.force(false);
            }
            Files.move(unfinished, file, StandardCopyOption.ATOMIC_MOVE);
            failing = false;
            return true;
        } catch (IOException e) {
            if (!failing) {
                LOG.warn(
                        "Cannot store the region's state in {}, so the next start needs etcd: {}",
                        file,
                        e.toString());
            }
            failing = true;
            return false;
        }
    }

    /** Returns the stored keys of this region, or empty if there is no file or it is not valid. */
    public Optional<Map<String, String>> read() {
        try {
            if (Files.size(file) > MAX_BYTES) {
                throw new IOException("more than %d bytes".formatted(MAX_BYTES));
            }
            byte[] bytes = Files.readAllBytes(file);
            int start = CHECKSUM_DIGITS + 1;
            if (bytes.length < start
                    || !new String(bytes, 0, CHECKSUM_DIGITS, UTF_8)
                            .equals(checksum(bytes, start))) {
                throw new IOException("damaged");
            }
            Content content = JSON.readValue(bytes, start, bytes.length - start, Content.class);
            return content.root.equals(root) ? Optional.of(content.keys) : Optional.empty();
        } catch (NoSuchFileException nothingYet) {
            return Optional.empty();
        } catch (IOException e) {
            LOG.warn(
                    "Ignoring the region's state in {}, so this start needs etcd: {}",
                    file,
                    e.toString());
            return Optional.empty();
        }
    }

    private Path sibling(String suffix) {
        return file.resolveSibling(file.getFileName() + suffix);
    }

    private static FileChannel openToWrite(Path path) throws IOException {
        return FileChannel.open(path, StandardOpenOption.CREATE, StandardOpenOption.WRITE);
    }

    private static String checksum(byte[] bytes, int from) {
        CRC32C checksum = new CRC32C();
        checksum.update(bytes, from, bytes.length - from);
        return "%08x".formatted(checksum.getValue());
    }

    private static void writeAll(FileChannel channel, byte[] bytes) throws IOException {
        ByteBuffer rest = ByteBuffer.wrap(bytes);
        while (rest.hasRemaining()) {
            channel.write(rest);
        }
    }
}
