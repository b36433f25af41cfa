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

/** What a disk does that is not what it was: bits of files are other ones. */
final class FlippedBits {

    private FlippedBits() {}

    /**
     * Flips bits of files whose names end so, wherever they are below a directory; fewer if files
     * go meanwhile, and none if there are none.
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
                // Those whose it is have removed it.
            }
        }
    }

    /** Flips bits of a file that is not empty. */
    static void in(Path file, int bits, Random random) throws IOException {
        in(file, 0, Files.size(file), bits, random);
    }

    /** Flips bits between two bytes of a file; an odd number of them leaves it changed. */
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
