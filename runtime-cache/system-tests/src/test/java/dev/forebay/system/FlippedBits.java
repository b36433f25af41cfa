package dev.forebay.system;

import dev.forebay.devstack.server.LiveFiles;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.List;
import java.util.Random;

/** Simulates a disk that changes bits of files. */
final class FlippedBits {

    private FlippedBits() {}

    /**
     * Flips bits of files with this suffix anywhere below a directory. Flips fewer if files
     * disappear meanwhile, and none if there are no files.
     */
    static void below(Path directory, String suffix, int bits, Random random) throws IOException {
        List<Path> files =
                LiveFiles.below(directory).stream()
                        .filter(file -> file.toString().endsWith(suffix))
                        .toList();
        for (int i = 0; i < bits && !files.isEmpty(); i++) {
            try {
                in(files.get(random.nextInt(files.size())), 1, random);
            } catch (NoSuchFileException gone) {
                // The owner has removed it.
            }
        }
    }

    /** Flips bits of a non-empty file. */
    static void in(Path file, int bits, Random random) throws IOException {
        in(file, 0, Files.size(file), bits, random);
    }

    /** Flips bits between two offsets of a file. An odd number of flips always changes it. */
    static void in(Path file, long from, long to, int bits, Random random) throws IOException {
        ByteBuffer octet = ByteBuffer.allocate(1);
        try (FileChannel bytes =
                FileChannel.open(file, StandardOpenOption.READ, StandardOpenOption.WRITE)) {
            for (int i = 0; i < bits; i++) {
                long at = random.nextLong(from, to);
                bytes.read(octet.clear(), at);
                octet.put(0, (byte) (octet.get(0) ^ (1 << random.nextInt(8))));
                bytes.write(octet.flip(), at);
            }
        }
    }
}
