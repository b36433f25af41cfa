package dev.forebay.lake.walk;

import java.io.BufferedInputStream;
import java.io.ByteArrayInputStream;
import java.io.Closeable;
import java.io.DataInputStream;
import java.io.EOFException;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.zip.CRC32C;

/**
 * A file of records that only grows. Each has its length and a checksum before it, so that one that
 * its process did not finish is told from one that is whole; the next that opens the file to write
 * cuts it off. For one thread at a time.
 */
final class RecordFile implements Closeable {

    private static final int HEAD_BYTES = 8;
    private static final int LONGEST = 16 << 20;

    private final FileChannel channel;

    private RecordFile(FileChannel channel) {
        this.channel = channel;
    }

    /** Reads a record. */
    @FunctionalInterface
    interface Reader {
        void read(DataInputStream record) throws IOException;
    }

    /** Opens a file to append to it, after what is whole of it has been read. */
    static RecordFile open(Path file, Reader reader) throws IOException {
        long whole = Files.exists(file) ? read(file, reader) : 0;
        FileChannel channel =
                FileChannel.open(file, StandardOpenOption.CREATE, StandardOpenOption.WRITE);
        try {
            channel.truncate(whole);
            channel.position(whole);
            return new RecordFile(channel);
        } catch (IOException e) {
            channel.close();
            throw e;
        }
    }

    /** Reads the records that are whole, one at a time; returns where they end. */
    static long read(Path file, Reader reader) throws IOException {
        long whole = 0;
        try (DataInputStream in =
                new DataInputStream(new BufferedInputStream(Files.newInputStream(file)))) {
            while (true) {
                int length = in.readInt();
                int checksum = in.readInt();
                // A machine that lost power can leave zeros, which an empty record would be.
                if (length <= 0 || length > LONGEST) {
                    return whole;
                }
                byte[] record = in.readNBytes(length);
                if (record.length < length || checksum(record) != checksum) {
                    return whole;
                }
                reader.read(new DataInputStream(new ByteArrayInputStream(record)));
                whole += HEAD_BYTES + length;
            }
        } catch (EOFException end) {
            return whole;
        }
    }

    /** Appends a record of at least a byte, and at most 16 MiB. */
    void append(byte[] record) throws IOException {
        ByteBuffer framed = ByteBuffer.allocate(HEAD_BYTES + record.length);
        framed.putInt(record.length).putInt(checksum(record)).put(record).flip();
        while (framed.hasRemaining()) {
            channel.write(framed);
        }
    }

    /** Returns when what was appended is on the disk. */
    void sync() throws IOException {
        channel.force(false);
    }

    private static int checksum(byte[] record) {
        CRC32C checksum = new CRC32C();
        checksum.update(record);
        return (int) checksum.getValue();
    }

    @Override
    public void close() throws IOException {
        channel.close();
    }
}
