package dev.forebay.system;

import java.io.IOException;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.TreeMap;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import software.amazon.awssdk.auth.credentials.AwsBasicCredentials;
import software.amazon.awssdk.auth.credentials.StaticCredentialsProvider;
import software.amazon.awssdk.core.sync.RequestBody;
import software.amazon.awssdk.http.urlconnection.UrlConnectionHttpClient;
import software.amazon.awssdk.regions.Region;
import software.amazon.awssdk.services.s3.S3Client;

/** A test's access to the lake: uploads originals and reads the lake's access log. */
final class LakeFixture implements AutoCloseable {

    static final String BUCKET = "datasets";

    /**
     * Two fields of a line of the access log: the operation and the key, which is not quoted and
     * may contain blanks.
     */
    private static final Pattern GET =
            Pattern.compile(" s3_GetObject (.*?) /datasets/\\S* (\\d{3}) ");

    private final S3Client s3;
    private final Path accessLog;

    LakeFixture(URI endpoint, String accessKey, String secretKey, Path accessLog) {
        this.accessLog = accessLog;
        this.s3 =
                S3Client.builder()
                        .endpointOverride(endpoint)
                        .region(Region.US_EAST_1)
                        .forcePathStyle(true)
                        .httpClientBuilder(UrlConnectionHttpClient.builder())
                        .credentialsProvider(
                                StaticCredentialsProvider.create(
                                        AwsBasicCredentials.create(accessKey, secretKey)))
                        .build();
    }

    void createBucketIfAbsent() {
        if (s3.listBuckets().buckets().stream().noneMatch(bucket -> bucket.name().equals(BUCKET))) {
            s3.createBucket(request -> request.bucket(BUCKET));
        }
    }

    void put(String key, byte[] content) {
        s3.putObject(request -> request.bucket(BUCKET).key(key), RequestBody.fromBytes(content));
    }

    /** Uploads a tree below {@code prefix}, in parallel. */
    void putAll(String prefix, Map<String, byte[]> tree) throws Exception {
        try (ExecutorService threads = Executors.newFixedThreadPool(8)) {
            List<Future<?>> puts = new ArrayList<>();
            tree.forEach(
                    (path, content) -> puts.add(threads.submit(() -> put(prefix + path, content))));
            for (Future<?> put : puts) {
                put.get();
            }
        }
    }

    void delete(String key) {
        s3.deleteObject(request -> request.bucket(BUCKET).key(key));
    }

    /**
     * Returns the number of successful GETs in the access log for each key below {@code prefix}.
     */
    Map<String, Integer> gets(String prefix) throws IOException {
        Map<String, Integer> counts = new TreeMap<>();
        // Filters lines before the pattern, because waiting tests read the whole log repeatedly.
        String candidate = " s3_GetObject " + prefix;
        try (Stream<String> lines = Files.lines(accessLog, StandardCharsets.UTF_8)) {
            lines.filter(line -> line.contains(candidate))
                    .forEach(
                            line -> {
                                Matcher get = GET.matcher(line);
                                if (get.find()
                                        && get.group(1).startsWith(prefix)
                                        && get.group(2).startsWith("2")) {
                                    String key = get.group(1).substring(prefix.length());
                                    counts.merge(key, 1, Integer::sum);
                                }
                            });
        }
        return counts;
    }

    /** Returns the number of successful GETs below {@code prefix} in the access log. */
    int countGets(String prefix) throws IOException {
        return gets(prefix).values().stream().mapToInt(Integer::intValue).sum();
    }

    /** Returns bytes that depend only on the seed. */
    static byte[] bytes(long seed, int length) {
        byte[] content = new byte[length];
        new Random(seed).nextBytes(content);
        return content;
    }

    @Override
    public void close() {
        s3.close();
    }
}
