package dev.forebay.chunkstore;

import dev.forebay.chunkstore.file.ChunkFooter;
import dev.forebay.chunkstore.file.DamagedChunkException;
import dev.forebay.chunkstore.file.DiskFailure;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.nio.file.attribute.BasicFileAttributes;
import java.util.Arrays;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/** Checks that a directory can still be written and read, and is still the same one. */
final class DiskProbe {

    private static final int BYTES = 4 << 10;

    private final Path lock;
    private final Path file;
    private final @Nullable Object identity;

    /**
     * @param lock the locked file; if another file is in its place, the disk was taken away
     */
    DiskProbe(Path lock, Path file) throws IOException {
        this.lock = lock;
        this.file = file;
        this.identity = identity(lock);
    }

    private static @Nullable Object identity(Path file) throws IOException {
        return Files.readAttributes(file, BasicFileAttributes.class).fileKey();
    }

    /**
     * Returns what is wrong with the disk, or empty. A full disk counts as healthy. So does a disk
     * that cannot be probed now, for example because too many files are open.
     */
    synchronized Optional<IOException> failure() {
        try {
            if (identity == null || !identity.equals(identity(lock))) {
                throw new DamagedChunkException(lock + " is not the file that the worker opened");
            }
            writeAndRead();
            return Optional.empty();
        } catch (IOException e) {
            DiskFailure kind = DiskFailure.of(e);
            boolean bad =
                    kind == DiskFailure.DAMAGED
                            || kind == DiskFailure.UNREADABLE
                            || e instanceof NoSuchFileException;
            return bad ? Optional.of(e) : Optional.empty();
        }
    }

    private void writeAndRead() throws IOException {
        byte[] written = new byte[BYTES];
        Arrays.fill(written, (byte) System.nanoTime());
        try (FileChannel channel =
                FileChannel.open(
                        file,
                        StandardOpenOption.CREATE,
                        StandardOpenOption.TRUNCATE_EXISTING,
                        StandardOpenOption.READ,
                        StandardOpenOption.WRITE)) {
            ByteBuffer bytes = ByteBuffer.wrap(written);
            while (bytes.hasRemaining()) {
                channel.write(bytes, bytes.position());
            }
            channel.force(false);
            ByteBuffer read = ByteBuffer.allocate(BYTES);
            ChunkFooter.readFully(channel, 0, read);
            if (!Arrays.equals(read.array(), written)) {
                throw new DamagedChunkException(file + " does not hold what was written");
            }
        } finally {
            Files.deleteIfExists(file);
        }
    }
}
