package dev.forebay.fuse.nodecache;

import static org.assertj.core.api.Assertions.assertThat;

import dev.forebay.model.Digest;
import java.io.IOException;
import java.io.RandomAccessFile;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * Random reads of two versions of one pack by several threads. Between them the cache is closed or
 * abandoned, and its files are truncated, damaged, or replaced by older copies. The model is the
 * pack itself: every read returns its bytes.
 */
class PackCacheModelTest {

    private static final int THREADS = 4;
    private static final int ROUNDS = 8;
    private static final int READS = 60;

    @TempDir private Path root;

    @ParameterizedTest
    @ValueSource(longs = {1, 2, 3, 4, 5, 6})
    void everyReadReturnsTheBytesOfThePack(long seed) throws Exception {
        Random random = new Random(seed);
        TestPack pack = new TestPack(3 * PackUnits.PAGES_OF_CHUNK + 1 + random.nextInt(40), seed);
        long capacity = (seed % 2 == 0 ? 12L : 100L) << 20;
        Path directory = root.resolve("0");
        for (int round = 1; round <= ROUNDS; round++) {
            PackCache cache = PackCache.open(directory, capacity, true, pack.source(), pack);
            readAtRandom(cache, pack, random.nextLong());
            assertThat(cache.usedBytes()).isLessThanOrEqualTo(capacity);
            boolean clean = random.nextBoolean();
            if (clean) {
                cache.close();
            }
            // An abandoned cache keeps only the old files open.
            directory = copy(directory, root.resolve(Integer.toString(round)));
            if (!clean) {
                cache.close();
            }
            if (random.nextInt(3) > 0) {
                harm(directory, round, random);
            }
        }
        PackCache cache = PackCache.open(directory, 100L << 20, true, pack.source(), pack);
        pack.assertReadsAll(cache, TestPack.ALL);
        pack.takeAskedBytes();
        pack.assertReadsAll(cache, TestPack.ALL);
        pack.assertReadsAll(cache, TestPack.SOME);
        assertThat(pack.takeAskedBytes()).isZero();
        cache.close();
        assertThat(Files.readAllBytes(directory.resolve(TestPack.ID + ".pack")))
                .isEqualTo(pack.bytes);
    }

    private static void readAtRandom(PackCache cache, TestPack pack, long seed) throws Exception {
        try (ExecutorService threads = Executors.newFixedThreadPool(THREADS)) {
            List<Future<?>> readers = new ArrayList<>();
            for (int thread = 0; thread < THREADS; thread++) {
                Random random = new Random(seed + thread);
                readers.add(
                        threads.submit(
                                () -> {
                                    for (int i = 0; i < READS; i++) {
                                        readOne(cache, pack, random);
                                    }
                                }));
            }
            for (Future<?> reader : readers) {
                reader.get();
            }
        }
    }

    private static void readOne(PackCache cache, TestPack pack, Random random) {
        Digest manifest = random.nextBoolean() ? TestPack.ALL : TestPack.SOME;
        int length = 1 + random.nextInt(random.nextBoolean() ? 10_000 : 700_000);
        int from = random.nextInt(pack.bytes.length - length);
        pack.assertReads(cache, manifest, from, length, random.nextBoolean());
    }

    /** Causes the damage of a power failure or a bad disk. */
    private void harm(Path directory, int round, Random random) throws IOException {
        Path file = directory.resolve(TestPack.ID + (random.nextInt(3) == 0 ? ".map" : ".pack"));
        switch (random.nextInt(4)) {
            case 0 -> {
                try (RandomAccessFile raw = new RandomAccessFile(file.toFile(), "rw")) {
                    raw.setLength(random.nextLong(raw.length()));
                }
            }
            case 1 -> {
                try (RandomAccessFile raw = new RandomAccessFile(file.toFile(), "rw")) {
                    for (int i = 0; i < 20; i++) {
                        long at = random.nextLong(raw.length());
                        raw.seek(at);
                        int old = raw.read();
                        raw.seek(at);
                        raw.write(old ^ (1 << random.nextInt(8)));
                    }
                }
            }
            case 2 -> {
                try (RandomAccessFile raw = new RandomAccessFile(file.toFile(), "rw")) {
                    for (int i = 0; i < 10; i++) {
                        raw.seek(random.nextLong(raw.length()) / 512 * 512);
                        raw.write(new byte[512]);
                    }
                }
            }
            default -> {
                Path before = root.resolve(Integer.toString(round - 1));
                Path old = before.resolve(file.getFileName());
                if (Files.exists(old)) {
                    Files.delete(file);
                    Files.copy(old, file);
                }
            }
        }
    }

    private static Path copy(Path from, Path to) throws IOException {
        Files.createDirectories(to);
        try (DirectoryStream<Path> files = Files.newDirectoryStream(from)) {
            for (Path file : files) {
                Files.copy(file, to.resolve(file.getFileName()));
            }
        }
        return to;
    }
}
