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
 * An append-only file of records. Each record follows its length and a checksum, so that an
 * incomplete record is recognised. The next process that opens the file for writing truncates it
 * there. Not thread-safe.
 */
final class RecordFile implements Closeable {

    private static final int HEAD_BYTES = 8;
    private static final int LONGEST = 16 << 20;

    private final FileChannel channel;

    private RecordFile(FileChannel channel) {
        this.channel = channel;
    }

    /** Receives a record. */
    @FunctionalInterface
    interface Reader {
        void read(DataInputStream record) throws IOException;
    }

    /** Opens a file for appending, after passing its complete records to the reader. */
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

    /** Reads all complete records, one at a time. Returns the offset of their end. */
    static long read(Path file, Reader reader) throws IOException {
        long whole = 0;
        try (DataInputStream in =
                new DataInputStream(new BufferedInputStream(Files.newInputStream(file)))) {
            while (true) {
                int length = in.readInt();
                int checksum = in.readInt();
                // Zeros can remain after a power failure, and would look like an empty record.
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

    /** Appends a record of 1 byte to 16 MiB. */
    void append(byte[] record) throws IOException {
        ByteBuffer framed = ByteBuffer.allocate(HEAD_BYTES + record.length);
        framed.putInt(record.length).putInt(checksum(record)).put(record).flip();
        while (framed.hasRemaining()) {
            channel.write(framed);
        }
    }

    /** Waits until all appended records are on the disk. */
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
