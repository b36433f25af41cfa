package dev.forebay.benchmarks.stack;

import dev.forebay.benchmarks.measure.Parallel;
import dev.forebay.devstack.server.S3Server;
import java.io.IOException;
import java.io.OutputStream;
import java.net.URI;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import java.util.SplittableRandom;
import java.util.function.Predicate;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import software.amazon.awssdk.auth.credentials.AwsBasicCredentials;
import software.amazon.awssdk.auth.credentials.StaticCredentialsProvider;
import software.amazon.awssdk.core.ResponseInputStream;
import software.amazon.awssdk.core.sync.RequestBody;
import software.amazon.awssdk.regions.Region;
import software.amazon.awssdk.services.s3.S3Client;
import software.amazon.awssdk.services.s3.model.GetObjectResponse;

/** The lake with the original objects. Its server keeps them as plain files, the raw directory. */
public final class Lake implements AutoCloseable {
    public static final String BUCKET = "datasets";
    public static final String MANIFESTS = "forebay-manifests";

    private static final int CONNECTIONS = 4;
    private static final int BLOCK_BYTES = 1 << 20;

    private final S3Server server;
    private final URI endpoint;
    private final Path scratch;
    private final S3Client s3;
    private final S3Client reader;

    /**
     * @param scratch a directory for large objects before their upload
     */
    public Lake(S3Server server, Path scratch) {
        this(server, server.endpoint(), scratch);
    }

    /**
     * @param endpoint the server's address for readers
     * @param scratch a directory for large objects before their upload
     */
    public Lake(S3Server server, URI endpoint, Path scratch) {
        this.server = server;
        this.endpoint = endpoint;
        this.scratch = scratch;
        s3 = client(server, server.endpoint());
        reader = client(server, endpoint);
    }

    private static S3Client client(S3Server server, URI endpoint) {
        return S3Client.builder()
                .endpointOverride(endpoint)
                .region(Region.of(S3Server.REGION))
                .forcePathStyle(true)
                .credentialsProvider(
                        StaticCredentialsProvider.create(
                                AwsBasicCredentials.create(server.accessKey(), server.secretKey())))
                .build();
    }

    public S3Server server() {
        return server;
    }

    /** Returns the server's address for readers. */
    public URI endpoint() {
        return endpoint;
    }

    /** Returns the folder with the objects as plain files. */
    public Path directory() {
        return server.bucketDirectory(BUCKET);
    }

    /** Returns the environment variables for programs with an AWS SDK. */
    public Map<String, String> environment() {
        return Map.of(
                "AWS_ACCESS_KEY_ID", server.accessKey(),
                "AWS_SECRET_ACCESS_KEY", server.secretKey(),
                "AWS_REGION", S3Server.REGION);
    }

    /**
     * Uploads the objects of a dataset. Their bytes are random, so that compression gains nothing.
     */
    public void put(Dataset dataset) throws Exception {
        Parallel.forEach(CONNECTIONS, dataset.paths(), path -> put(dataset, path));
    }

    private void put(Dataset dataset, String path) throws IOException {
        String key = key(dataset, path);
        SplittableRandom random = new SplittableRandom(key.hashCode());
        if (dataset.bytes() <= BLOCK_BYTES) {
            byte[] content = new byte[Math.toIntExact(dataset.bytes())];
            random.nextBytes(content);
            s3.putObject(to -> to.bucket(BUCKET).key(key), RequestBody.fromBytes(content));
            return;
        }
        Path file = Files.createTempFile(scratch, "object", ".bin");
        byte[] block = new byte[BLOCK_BYTES];
        try (OutputStream out = Files.newOutputStream(file)) {
            for (long written = 0; written < dataset.bytes(); written += block.length) {
                random.nextBytes(block);
                out.write(block);
            }
        }
        s3.putObject(to -> to.bucket(BUCKET).key(key), file);
        Files.delete(file);
    }

    /** Copies objects to another prefix. */
    public void copy(Dataset from, Dataset to) throws Exception {
        Parallel.forEach(
                CONNECTIONS,
                from.paths(),
                path ->
                        s3.copyObject(
                                request ->
                                        request.sourceBucket(BUCKET)
                                                .sourceKey(key(from, path))
                                                .destinationBucket(BUCKET)
                                                .destinationKey(key(to, path))));
    }

    /** Reads only the first byte of an object. */
    public int firstByte(Dataset dataset) throws IOException {
        String key = key(dataset, dataset.paths().getFirst());
        try (ResponseInputStream<GetObjectResponse> in =
                reader.getObject(from -> from.bucket(BUCKET).key(key).range("bytes=0-0"))) {
            return in.read();
        }
    }

    /** Returns the source of a dataset in the form of the API. */
    public static String source(Dataset dataset) {
        return "s3://%s/%s/".formatted(BUCKET, dataset.name());
    }

    /**
     * Returns the number of successful requests for objects of a dataset, from the lake's own log.
     */
    public long gets(Dataset dataset) throws IOException {
        Predicate<String> get =
                Pattern.compile(
                                " s3_GetObject %s/\\S+ /%s/\\S+ 20[06] "
                                        .formatted(dataset.name(), BUCKET))
                        .asPredicate();
        try (Stream<String> lines = Files.lines(server.accessLog())) {
            return lines.filter(get).count();
        }
    }

    private static String key(Dataset dataset, String path) {
        return dataset.name() + "/" + path;
    }

    @Override
    public void close() {
        s3.close();
        reader.close();
    }
}
