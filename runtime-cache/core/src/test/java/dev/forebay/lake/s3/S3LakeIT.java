package dev.forebay.lake.s3;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.sun.net.httpserver.HttpServer;
import dev.forebay.devstack.fault.Fault;
import dev.forebay.devstack.fault.FaultProxy;
import dev.forebay.devstack.server.S3Server;
import dev.forebay.lake.LakeObject;
import dev.forebay.lake.Listing;
import dev.forebay.lake.walk.PrefixWalk;
import dev.forebay.model.ErrorCode;
import dev.forebay.model.ForebayException;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.URI;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Random;
import java.util.TreeMap;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.atomic.AtomicBoolean;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import software.amazon.awssdk.auth.credentials.AwsBasicCredentials;
import software.amazon.awssdk.auth.credentials.StaticCredentialsProvider;
import software.amazon.awssdk.core.sync.RequestBody;
import software.amazon.awssdk.regions.Region;
import software.amazon.awssdk.services.s3.S3Client;
import software.amazon.awssdk.services.s3.model.BucketVersioningStatus;
import software.amazon.awssdk.services.s3.model.ChecksumAlgorithm;
import software.amazon.awssdk.services.s3.model.PutObjectResponse;

/** Tests the lake client against a real S3 server, and through a proxy that adds faults. */
class S3LakeIT {

    @TempDir static Path directory;

    private static S3Server server;
    private static S3Client admin;

    private static FaultProxy proxy;
    private static S3Lake lake;

    /** Has long timeouts, so that a slow machine causes no retries and requests can be counted. */
    private static S3Lake patient;

    @BeforeAll
    static void start() {
        server = S3Server.start(directory);
        admin =
                S3Client.builder()
                        .endpointOverride(server.endpoint())
                        .region(Region.of(S3Server.REGION))
                        .forcePathStyle(true)
                        .credentialsProvider(
                                StaticCredentialsProvider.create(
                                        AwsBasicCredentials.create(
                                                server.accessKey(), server.secretKey())))
                        .build();
        proxy = FaultProxy.before(server.endpoint());
        lake = S3Lake.open(config(proxy.endpoint(), 3), credentials());
        patient = S3Lake.open(patiently(proxy.endpoint(), 3), credentials());
    }

    @AfterAll
    static void stop() {
        lake.close();
        patient.close();
        proxy.close();
        admin.close();
        server.close();
    }

    @BeforeEach
    void withoutFaults() {
        proxy.spoil(request -> Fault.NONE);
    }

    private static S3LakeConfig config(URI endpoint, int attempts) {
        return config(endpoint, attempts, Duration.ofMillis(700), Duration.ofSeconds(2));
    }

    private static S3LakeConfig patiently(URI endpoint, int attempts) {
        return config(endpoint, attempts, Duration.ofSeconds(30), Duration.ofSeconds(30));
    }

    private static S3LakeConfig config(
            URI endpoint, int attempts, Duration idleTimeout, Duration attemptTimeout) {
        return new S3LakeConfig(
                endpoint,
                S3Server.REGION,
                true,
                null,
                BucketAccess.USUAL,
                16,
                Duration.ofSeconds(5),
                idleTimeout,
                attemptTimeout,
                1 << 20,
                attempts);
    }

    private static S3Credentials credentials() {
        return new S3Credentials(server.accessKey(), server.secretKey());
    }

    private static String bucket(String name) {
        admin.createBucket(b -> b.bucket(name));
        return name;
    }

    private static byte[] bytes(int length) {
        byte[] bytes = new byte[length];
        new Random(length).nextBytes(bytes);
        return bytes;
    }

    private static LakeObject put(String bucket, String key, byte[] bytes) {
        PutObjectResponse stored =
                admin.putObject(
                        b -> b.bucket(bucket).key(key).checksumAlgorithm(ChecksumAlgorithm.CRC32_C),
                        RequestBody.fromBytes(bytes));
        return new LakeObject(
                key,
                bytes.length,
                Instant.EPOCH,
                stored.eTag().replace("\"", ""),
                stored.versionId());
    }

    private List<LakeObject> list(String bucket, String prefix) {
        List<LakeObject> objects = new ArrayList<>();
        lake.list(bucket, prefix, objects::add, count -> {});
        return objects;
    }

    private byte[] read(String bucket, LakeObject object, long offset, int length) {
        return read(lake, bucket, object, offset, length);
    }

    private static byte[] read(
            S3Lake lake, String bucket, LakeObject object, long offset, int length) {
        ByteBuffer target = ByteBuffer.allocate(length);
        lake.read(bucket, object, offset, target);
        assertThat(target.hasRemaining()).isFalse();
        return target.array();
    }

    private static void assertCode(ErrorCode code, ThrowingCallable call) {
        assertThatThrownBy(call)
                .isInstanceOfSatisfying(
                        ForebayException.class,
                        e -> assertThat(e.code()).as(e.getMessage()).isEqualTo(code));
    }

    @Test
    void listsEveryObjectInByteOrderOfItsKey() {
        String bucket = bucket("listing");
        Map<String, LakeObject> expected = new TreeMap<>(utf8());
        for (String name :
                List.of("a", "a-b", "a/b", "a.b", "b c", "+&%25?#=", "日本/ä", "😀", "\uE000", "z")) {
            String key = "p/" + name + (name.equals("a") ? "0" : "");
            expected.put(key, put(bucket, key, bytes(name.length())));
        }
        put(bucket, "q/other", bytes(1));
        List<LakeObject> listed = list(bucket, "p/");
        assertThat(listed).extracting(LakeObject::key).containsExactlyElementsOf(expected.keySet());
        for (LakeObject object : listed) {
            LakeObject put = Objects.requireNonNull(expected.get(object.key()));
            assertThat(object.etag()).isEqualTo(put.etag());
            assertThat(object.size()).isEqualTo(put.size());
            assertThat(object.modified()).isAfter(Instant.EPOCH);
            assertThat(read(bucket, object, 0, (int) object.size()))
                    .isEqualTo(bytes((int) object.size()));
        }
    }

    private static Comparator<String> utf8() {
        return Comparator.comparing(
                key -> key.getBytes(StandardCharsets.UTF_8), Arrays::compareUnsigned);
    }

    @Test
    void listsSeveralPagesAndReportsProgress() throws IOException {
        String bucket = bucket("pages");
        Path files = server.bucketDirectory(bucket);
        for (int i = 0; i < 1500; i++) {
            Files.writeString(files.resolve("%05d".formatted(i)), "x");
        }
        List<Long> progress = new ArrayList<>();
        List<String> keys = new ArrayList<>();
        lake.list(bucket, "", object -> keys.add(object.key()), progress::add);
        assertThat(keys).hasSize(1500).isSorted().doesNotHaveDuplicates();
        assertThat(progress).containsExactly(1000L, 1500L);
    }

    @Test
    void listsAVersionedBucketWithVersionIds() {
        String bucket = bucket("versioned");
        admin.putBucketVersioning(
                b ->
                        b.bucket(bucket)
                                .versioningConfiguration(
                                        v -> v.status(BucketVersioningStatus.ENABLED)));
        put(bucket, "a", bytes(10));
        LakeObject second = put(bucket, "a", bytes(20));
        put(bucket, "gone", bytes(5));
        admin.deleteObject(b -> b.bucket(bucket).key("gone"));
        List<LakeObject> listed = list(bucket, "");
        assertThat(listed).extracting(LakeObject::key).containsExactly("a");
        LakeObject a = listed.getFirst();
        assertThat(a.versionId()).isEqualTo(second.versionId());
        put(bucket, "a", bytes(30));
        assertThat(read(bucket, a, 0, 20)).isEqualTo(bytes(20));
    }

    @Test
    void aPageStartsAfterAnyTextAndHasTheRequestedSize() {
        String bucket = bucket("anywhere");
        for (String key : List.of("p/a", "p/b/1", "p/b/2", "p/c", "q")) {
            put(bucket, key, bytes(1));
        }
        Listing listing = lake.listing(bucket, "p/");

        Listing.Page page = listing.page("p/a~", 2);

        assertThat(page.objects()).extracting(LakeObject::key).containsExactly("p/b/1", "p/b/2");
        assertThat(page.next()).isEqualTo("p/b/2");
        assertThat(listing.page(page.next(), 2).objects())
                .extracting(LakeObject::key)
                .containsExactly("p/c");
        assertThat(listing.page("p/c", 1000)).isEqualTo(new Listing.Page(List.of(), null));
        assertThat(listing.page("p/~", 1000).objects()).isEmpty();
    }

    @Test
    void listingSkipsOldVersionsAndDeletedObjects() {
        String bucket = bucket("many-versions");
        admin.putBucketVersioning(
                b ->
                        b.bucket(bucket)
                                .versioningConfiguration(
                                        v -> v.status(BucketVersioningStatus.ENABLED)));
        List<String> current = new ArrayList<>();
        for (String key : List.of("a", "b", "c", "d", "e")) {
            put(bucket, key, bytes(1));
            put(bucket, key, bytes(2));
            String last = Objects.requireNonNull(put(bucket, key, bytes(3)).versionId());
            if (key.equals("b") || key.equals("e")) {
                admin.deleteObject(b -> b.bucket(bucket).key(key));
            } else {
                current.add(key + last);
            }
        }
        Listing listing = lake.listing(bucket, "");
        List<String> listed = new ArrayList<>();
        String next = null;
        do {
            Listing.Page page = listing.page(next, 2);
            page.objects().forEach(object -> listed.add(object.key() + object.versionId()));
            next = page.next();
        } while (next != null);

        assertThat(listed).isEqualTo(current);
    }

    @Test
    void listingContinuesAfterAKeyWithMoreVersionsThanAPage() {
        String bucket = bucket("deep-versions");
        admin.putBucketVersioning(
                b ->
                        b.bucket(bucket)
                                .versioningConfiguration(
                                        v -> v.status(BucketVersioningStatus.ENABLED)));
        put(bucket, "a", bytes(1));
        for (int i = 0; i <= Listing.PAGE_OBJECTS; i++) {
            put(bucket, "b", bytes(2));
        }
        put(bucket, "c", bytes(3));

        assertThat(list(bucket, "")).extracting(LakeObject::key).containsExactly("a", "b", "c");
        assertThat(lake.listing(bucket, "").page("b", 1).objects())
                .extracting(LakeObject::key)
                .containsExactly("c");
    }

    @Test
    void concurrentWalkersListTheSameObjectsAsOne(@TempDir Path folder) throws IOException {
        String bucket = bucket("walkers");
        Path files = server.bucketDirectory(bucket);
        for (int i = 0; i < 6000; i++) {
            Path file = files.resolve("%02d/%05d".formatted(i / 1000, i));
            Files.createDirectories(file.getParent());
            Files.writeString(file, "x");
        }
        PrefixWalk walk = new PrefixWalk(lake.listing(bucket, ""), "", key -> true, folder, bucket);

        walk.list(8, count -> {});

        List<LakeObject> walked = new ArrayList<>();
        walk.forEach(walked::add);
        assertThat(walked).hasSize(6000).isEqualTo(list(bucket, ""));
    }

    @Test
    void anEmptyPrefixListsNothingAndAMissingBucketFails() {
        assertThat(list(bucket("empty"), "")).isEmpty();
        assertCode(ErrorCode.LAKE_EMPTY, () -> list("no-such-bucket", ""));
    }

    @Test
    void readsRangesAndCountsRequestsAndBytes() {
        String bucket = bucket("ranges");
        byte[] bytes = bytes(300_000);
        LakeObject object = put(bucket, "k", bytes);
        long requests = patient.requests();
        long received = patient.bytesRead();
        assertThat(read(patient, bucket, object, 0, 300_000)).isEqualTo(bytes);
        assertThat(read(patient, bucket, object, 0, 1)).isEqualTo(Arrays.copyOf(bytes, 1));
        assertThat(read(patient, bucket, object, 99_999, 200_001))
                .isEqualTo(Arrays.copyOfRange(bytes, 99_999, 300_000));
        assertThat(patient.requests() - requests).isEqualTo(3);
        assertThat(patient.bytesRead() - received).isEqualTo(300_000 + 1 + 200_001);
        assertCode(ErrorCode.INVALID_ARGUMENT, () -> read(patient, bucket, object, 1, 300_000));
    }

    /** "How a fetch from the lake is verified". */
    @Test
    void readFailsIfTheObjectWasOverwrittenOrDeleted() {
        String bucket = bucket("changed");
        LakeObject object = put(bucket, "k", bytes(1000));
        long requests = proxy.requests();
        put(bucket, "k", bytes(1001));
        assertCode(ErrorCode.LAKE_OBJECT_CHANGED, () -> read(patient, bucket, object, 0, 1000));
        assertCode(ErrorCode.LAKE_OBJECT_CHANGED, () -> read(patient, bucket, object, 10, 20));
        admin.deleteObject(b -> b.bucket(bucket).key("k"));
        assertCode(ErrorCode.LAKE_OBJECT_CHANGED, () -> read(patient, bucket, object, 0, 1000));
        assertThat(proxy.requests() - requests).as("tried once each").isEqualTo(3);
    }

    @Test
    void readFailsIfTheLengthChangedUnderTheSameETag() throws IOException {
        String bucket = bucket("cut");
        LakeObject object = put(bucket, "k", bytes(1000));
        try (var file =
                FileChannel.open(
                        server.bucketDirectory(bucket).resolve("k"), StandardOpenOption.WRITE)) {
            file.truncate(900);
        }
        assertCode(ErrorCode.LAKE_OBJECT_CHANGED, () -> read(bucket, object, 0, 1000));
        assertCode(ErrorCode.LAKE_OBJECT_CHANGED, () -> read(bucket, object, 10, 20));
    }

    @Test
    void wrongCredentialsFailWithLakeDenied() {
        String bucket = bucket("denied");
        LakeObject object = put(bucket, "k", bytes(10));
        try (S3Lake stranger =
                S3Lake.open(
                        patiently(server.endpoint(), 3),
                        new S3Credentials(server.accessKey(), "not-the-secret"))) {
            assertCode(
                    ErrorCode.LAKE_DENIED,
                    () -> stranger.read(bucket, object, 0, ByteBuffer.allocate(10)));
            assertCode(ErrorCode.LAKE_DENIED, () -> stranger.list(bucket, "", o -> {}, n -> {}));
            assertThat(stranger.requests()).isLessThanOrEqualTo(3);
        }
        assertThat(new S3Credentials("id", "secret")).asString().doesNotContain("secret");
    }

    @Test
    void readsAndListingsAreRetriedAfterTransientFailures() {
        String bucket = bucket("trouble");
        byte[] bytes = bytes(200_000);
        LakeObject object = put(bucket, "k", bytes);
        for (Fault fault :
                List.of(
                        new Fault.Status(503),
                        new Fault.Status(500),
                        new Fault.Status(429),
                        new Fault.Truncate(0),
                        new Fault.Truncate(70_000),
                        new Fault.Stall(70_000),
                        new Fault.Delay(Duration.ofSeconds(3)))) {
            proxy.spoil(request -> request.number() == 1 ? fault : Fault.NONE);
            assertThat(read(bucket, object, 0, 200_000)).as(fault.toString()).isEqualTo(bytes);
            proxy.spoil(request -> request.number() == 1 ? fault : Fault.NONE);
            assertThat(read(bucket, object, 5, 100_000))
                    .as(fault.toString())
                    .isEqualTo(Arrays.copyOfRange(bytes, 5, 100_005));
        }
        proxy.spoil(request -> request.number() == 1 ? new Fault.Status(503) : Fault.NONE);
        assertThat(list(bucket, "")).hasSize(1);
    }

    @Test
    void reportsFailedAttemptsAndWhetherTheyWereThrottled() {
        String bucket = bucket("throttled");
        byte[] bytes = bytes(1000);
        LakeObject object = put(bucket, "k", bytes);
        List<Boolean> heard = new CopyOnWriteArrayList<>();
        List<Fault> faults =
                List.of(
                        new Fault.Status(503),
                        new Fault.Status(429),
                        new Fault.Status(500),
                        new Fault.Truncate(0));
        proxy.spoil(
                request ->
                        request.number() <= faults.size()
                                ? faults.get((int) request.number() - 1)
                                : Fault.NONE);
        try (S3Lake told = S3Lake.open(patiently(proxy.endpoint(), 5), credentials(), heard::add)) {
            told.read(bucket, object, 0, ByteBuffer.allocate(1000));
        }
        assertThat(heard).containsExactly(true, true, false, false);
    }

    @Test
    void aPersistentFailureEndsAfterTheConfiguredAttempts() {
        String bucket = bucket("lasting");
        LakeObject object = put(bucket, "k", bytes(200_000));
        for (Fault fault :
                List.of(
                        new Fault.Status(503),
                        new Fault.Truncate(100),
                        new Fault.Stall(100),
                        new Fault.Slow(2000))) {
            long before = proxy.requests();
            proxy.spoil(request -> fault);
            assertCode(ErrorCode.LAKE_UNAVAILABLE, () -> read(bucket, object, 0, 200_000));
            assertThat(proxy.requests() - before).as(fault.toString()).isEqualTo(3);
        }
    }

    @Test
    void readFailsIfTheLakeSendsAnotherRange() {
        String bucket = bucket("other-range");
        LakeObject object = put(bucket, "k", bytes(200_000));
        long before = proxy.requests();
        proxy.spoil(request -> new Fault.OtherRange());
        assertCode(ErrorCode.LAKE_UNSUPPORTED, () -> read(bucket, object, 5, 1000));
        assertThat(proxy.requests() - before)
                .as("a proxy may have caused the first answer")
                .isEqualTo(3);
    }

    @Test
    void readFailsIfTheAnswerHasNoETag() {
        String bucket = bucket("without-etag");
        LakeObject object = put(bucket, "k", bytes(200_000));
        proxy.spoil(request -> new Fault.WithoutEtag());
        assertCode(ErrorCode.LAKE_UNSUPPORTED, () -> read(bucket, object, 5, 1000));
        assertCode(ErrorCode.LAKE_UNSUPPORTED, () -> read(bucket, object, 0, 200_000));
    }

    @Test
    void anUnreachableLakeFailsWithLakeUnavailable() {
        FaultProxy gone = FaultProxy.before(server.endpoint());
        gone.close();
        try (S3Lake away = S3Lake.open(config(gone.endpoint(), 2), credentials())) {
            assertCode(ErrorCode.LAKE_UNAVAILABLE, () -> away.list("any", "", o -> {}, n -> {}));
            assertThat(away.requests()).isEqualTo(2);
        }
    }

    @Test
    void readDetectsAFlippedBitInAWholeObject() {
        String bucket = bucket("flipped");
        byte[] bytes = bytes(100_000);
        LakeObject object = put(bucket, "k", bytes);
        proxy.spoil(request -> request.number() == 1 ? new Fault.Flip(50_000) : Fault.NONE);
        assertThat(read(bucket, object, 0, 100_000)).isEqualTo(bytes);
        proxy.spoil(request -> new Fault.Flip(50_000));
        assertCode(ErrorCode.LAKE_UNAVAILABLE, () -> read(bucket, object, 0, 100_000));
    }

    @Test
    void putIfAbsentStoresAFileOnceAndDownloadReturnsIt() throws IOException {
        String bucket = bucket("manifests");
        Path file = Files.write(directory.resolve("file"), bytes(3_000_000));
        lake.putIfAbsent(bucket, "manifests/m.sqlite", file);
        lake.putIfAbsent(bucket, "manifests/m.sqlite", file);
        Path copy = directory.resolve("copy");
        proxy.spoil(request -> request.number() == 2 ? new Fault.Truncate(1000) : Fault.NONE);
        lake.download(bucket, "manifests/m.sqlite", copy);
        assertThat(copy).hasBinaryContent(bytes(3_000_000));
        assertCode(
                ErrorCode.LAKE_OBJECT_CHANGED,
                () -> lake.download(bucket, "manifests/none", directory.resolve("none")));
        assertThat(directory.resolve("none")).doesNotExist();
    }

    /** Two control planes may freeze one version at the same time. */
    @Test
    void theFirstOfTwoWritersWins() {
        String bucket = bucket("pointers");
        AtomicBoolean raced = new AtomicBoolean();
        proxy.spoil(
                request -> {
                    if (request.method().equals("PUT") && raced.compareAndSet(false, true)) {
                        put(bucket, "versions/v1.json", bytes(10));
                    }
                    return Fault.NONE;
                });

        for (int i = 0; i < 2; i++) {
            assertThat(lake.createOnce(bucket, "versions/v1.json", bytes(20))).isEqualTo(bytes(10));
        }
        assertThat(raced).as("the first call was overtaken").isTrue();
    }

    /**
     * The key determines the content, so a partial upload or any other content under it is
     * replaced.
     */
    @Test
    void putIfAbsentReplacesOtherContentUnderTheKey() throws IOException {
        String bucket = bucket("replaced");
        Path file = Files.write(directory.resolve("right"), bytes(300_000));
        for (byte[] wrong : List.of(bytes(0), bytes(299_999), new byte[300_000])) {
            put(bucket, "manifests/m.sqlite", wrong);

            lake.putIfAbsent(bucket, "manifests/m.sqlite", file);

            Path copy = directory.resolve("replaced");
            lake.download(bucket, "manifests/m.sqlite", copy);
            assertThat(copy).hasSameBinaryContentAs(file);
            Files.delete(copy);
        }
    }

    @Test
    void putIfAbsentFailsIfTheStoreReturnsOtherBytes() throws IOException {
        String bucket = bucket("forgetful");
        Path file = Files.write(directory.resolve("given"), bytes(100_000));
        proxy.spoil(
                request -> request.method().equals("GET") ? new Fault.Flip(50_000) : Fault.NONE);
        assertCode(ErrorCode.CORRUPT, () -> lake.putIfAbsent(bucket, "manifests/m.sqlite", file));
    }

    @Test
    void anInterruptedReadNoLongerWritesIntoItsBuffer() throws Exception {
        String bucket = bucket("interrupted");
        LakeObject object = put(bucket, "k", bytes(200_000));
        proxy.spoil(request -> new Fault.Slow(20_000));
        ByteBuffer target = ByteBuffer.allocate(200_000);
        long before = lake.bytesRead();
        Thread reader =
                Thread.ofVirtual()
                        .start(
                                () ->
                                        assertCode(
                                                ErrorCode.LAKE_UNAVAILABLE,
                                                () -> lake.read(bucket, object, 0, target)));
        while (lake.bytesRead() == before) {
            Thread.onSpinWait();
        }
        reader.interrupt();
        reader.join();
        byte[] then = target.array().clone();
        long received = lake.bytesRead();
        proxy.spoil(request -> Fault.NONE);
        assertThat(read(bucket, object, 0, 200_000)).isEqualTo(bytes(200_000));
        assertThat(lake.bytesRead()).isEqualTo(received + 200_000);
        assertThat(target.array()).isEqualTo(then);
    }

    /** This store ignores {@code start-after} and always claims to have more. */
    @Test
    void listingFailsIfTheStoreRepeatsAPage() throws IOException {
        byte[] page =
                """
                <ListBucketResult><IsTruncated>true</IsTruncated>
                <Contents><Key>a</Key><Size>1</Size><ETag>"e"</ETag></Contents>
                <Contents><Key>b</Key><Size>1</Size><ETag>"e"</ETag></Contents></ListBucketResult>"""
                        .getBytes(StandardCharsets.UTF_8);
        HttpServer store =
                HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
        store.createContext(
                "/",
                exchange -> {
                    try (exchange) {
                        exchange.sendResponseHeaders(200, page.length);
                        exchange.getResponseBody().write(page);
                    }
                });
        store.start();
        URI endpoint = URI.create("http://127.0.0.1:" + store.getAddress().getPort());
        try (S3Lake broken = S3Lake.open(config(endpoint, 1), credentials())) {
            Listing listing = broken.listing("bucket", "");
            Listing.Page first = listing.page(null, Listing.PAGE_OBJECTS);
            assertThat(first.next()).isEqualTo("b");
            assertThatThrownBy(() -> listing.page(first.next(), Listing.PAGE_OBJECTS))
                    .isInstanceOfSatisfying(
                            ForebayException.class,
                            e -> assertThat(e.code()).isEqualTo(ErrorCode.LAKE_UNSUPPORTED));
        } finally {
            store.stop(0);
        }
    }
}
