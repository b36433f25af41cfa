package dev.forebay.benchmarks;

import dev.forebay.devstack.server.S3Server;
import java.io.BufferedOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.List;
import java.util.Random;
import java.util.stream.IntStream;
import software.amazon.awssdk.auth.credentials.AwsBasicCredentials;
import software.amazon.awssdk.auth.credentials.StaticCredentialsProvider;
import software.amazon.awssdk.core.ResponseInputStream;
import software.amazon.awssdk.core.sync.RequestBody;
import software.amazon.awssdk.core.sync.ResponseTransformer;
import software.amazon.awssdk.regions.Region;
import software.amazon.awssdk.services.s3.S3Client;
import software.amazon.awssdk.services.s3.model.GetObjectResponse;

/**
 * The lake with the originals, and the yardstick of prewarming: a plain download of them with the
 * AWS SDK, {@value #CONNECTIONS} requests at once.
 */
final class Lake implements AutoCloseable {
    static final String BUCKET = "datasets";
    static final String LARGE = "large/";
    static final String SMALL = "small/";
    static final long LARGE_BYTES = 512L << 20;
    static final int SMALL_BYTES = 100_000;
    static final int SMALL_OBJECTS = 2_000;

    private static final int CONNECTIONS = 16;
    private static final int PART_BYTES = 8 << 20;
    private static final int PER_DIRECTORY = 100;

    private final S3Client s3;

    Lake(S3Server server) {
        s3 =
                S3Client.builder()
                        .endpointOverride(server.endpoint())
                        .region(Region.of(S3Server.REGION))
                        .forcePathStyle(true)
                        .credentialsProvider(
                                StaticCredentialsProvider.create(
                                        AwsBasicCredentials.create(
                                                server.accessKey(), server.secretKey())))
                        .build();
    }

    /** The keys of the small objects. */
    static List<String> smallKeys() {
        return IntStream.range(0, SMALL_OBJECTS)
                .mapToObj(i -> SMALL + "%03d/%05d.bin".formatted(i / PER_DIRECTORY, i))
                .toList();
    }

    /** The key of the large object. */
    static String largeKey() {
        return LARGE + "shard.bin";
    }

    /** Puts the originals there; bytes are random, so that nothing can be saved by packing them. */
    void fill(Path scratch) throws Exception {
        Path file = Files.createTempFile(scratch, "large", ".bin");
        Random random = new Random(1);
        byte[] block = new byte[1 << 20];
        try (OutputStream out = new BufferedOutputStream(Files.newOutputStream(file))) {
            for (long written = 0; written < LARGE_BYTES; written += block.length) {
                random.nextBytes(block);
                out.write(block);
            }
        }
        s3.putObject(to -> to.bucket(BUCKET).key(largeKey()), file);
        Files.delete(file);
        Parallel.forEach(
                CONNECTIONS,
                smallKeys(),
                key -> {
                    byte[] content = new byte[SMALL_BYTES];
                    new Random(key.hashCode()).nextBytes(content);
                    s3.putObject(to -> to.bucket(BUCKET).key(key), RequestBody.fromBytes(content));
                });
    }

    /** Downloads the large object in ranges of 8 MiB. */
    void downloadLarge(Path directory) throws Exception {
        Path file = target(directory, largeKey());
        List<Long> offsets =
                IntStream.range(0, Math.toIntExact(LARGE_BYTES / PART_BYTES))
                        .mapToObj(part -> (long) part * PART_BYTES)
                        .toList();
        try (FileChannel out =
                FileChannel.open(file, StandardOpenOption.CREATE_NEW, StandardOpenOption.WRITE)) {
            Parallel.forEach(CONNECTIONS, offsets, offset -> range(out, offset));
        }
    }

    /** Downloads every small object into a file of its own. */
    void downloadSmall(Path directory) throws Exception {
        Parallel.forEach(
                CONNECTIONS,
                smallKeys(),
                key ->
                        s3.getObject(
                                from -> from.bucket(BUCKET).key(key),
                                ResponseTransformer.toFile(target(directory, key))));
    }

    private void range(FileChannel out, long offset) throws IOException {
        String range = "bytes=%d-%d".formatted(offset, offset + PART_BYTES - 1);
        try (ResponseInputStream<GetObjectResponse> in =
                s3.getObject(from -> from.bucket(BUCKET).key(largeKey()).range(range))) {
            write(out, offset, in);
        }
    }

    private static void write(FileChannel out, long offset, InputStream in) throws IOException {
        byte[] buffer = new byte[256 << 10];
        long at = offset;
        for (int count = in.read(buffer); count >= 0; count = in.read(buffer)) {
            ByteBuffer piece = ByteBuffer.wrap(buffer, 0, count);
            while (piece.hasRemaining()) {
                at += out.write(piece, at);
            }
        }
    }

    private static Path target(Path directory, String key) throws IOException {
        Path file = directory.resolve(key);
        Files.createDirectories(file.resolve("..").normalize());
        return file;
    }

    @Override
    public void close() {
        s3.close();
    }
}
