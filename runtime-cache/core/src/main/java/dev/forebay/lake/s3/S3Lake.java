package dev.forebay.lake.s3;

import dev.forebay.lake.Lake;
import dev.forebay.lake.LakeEvents;
import dev.forebay.lake.LakeObject;
import dev.forebay.lake.Listing;
import dev.forebay.lake.ReadMeter;
import dev.forebay.lake.s3.S3Failure.Request;
import dev.forebay.model.ErrorCode;
import dev.forebay.model.ForebayException;
import java.io.IOException;
import java.net.ConnectException;
import java.net.URI;
import java.net.UnknownHostException;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.LongAdder;
import java.util.function.Consumer;
import software.amazon.awssdk.auth.credentials.AwsBasicCredentials;
import software.amazon.awssdk.auth.credentials.AwsCredentialsProvider;
import software.amazon.awssdk.auth.credentials.StaticCredentialsProvider;
import software.amazon.awssdk.awscore.AwsRequestOverrideConfiguration;
import software.amazon.awssdk.awscore.retry.AwsRetryStrategy;
import software.amazon.awssdk.core.FileTransformerConfiguration;
import software.amazon.awssdk.core.async.AsyncRequestBody;
import software.amazon.awssdk.core.async.AsyncResponseTransformer;
import software.amazon.awssdk.core.checksums.RequestChecksumCalculation;
import software.amazon.awssdk.core.checksums.ResponseChecksumValidation;
import software.amazon.awssdk.core.client.config.ClientOverrideConfiguration;
import software.amazon.awssdk.core.exception.SdkClientException;
import software.amazon.awssdk.core.sync.ResponseTransformer;
import software.amazon.awssdk.http.apache5.Apache5HttpClient;
import software.amazon.awssdk.http.nio.netty.NettyNioAsyncHttpClient;
import software.amazon.awssdk.regions.Region;
import software.amazon.awssdk.services.s3.S3AsyncClient;
import software.amazon.awssdk.services.s3.S3AsyncClientBuilder;
import software.amazon.awssdk.services.s3.S3Client;
import software.amazon.awssdk.services.s3.S3ClientBuilder;
import software.amazon.awssdk.services.s3.model.ChecksumMode;
import software.amazon.awssdk.services.s3.model.GetObjectRequest;
import software.amazon.awssdk.services.s3.model.GetObjectResponse;
import software.amazon.awssdk.services.s3.model.HeadObjectResponse;
import software.amazon.awssdk.services.s3.model.PutObjectResponse;

/**
 * Client of an S3-compatible object store, through the AWS SDK. It reads objects with the blocking
 * client, which takes about half of the asynchronous client's CPU time per byte.
 *
 * <p>Every answer is verified. Status, ETag, range and length must be those requested. The checksum
 * of a whole object is compared if the store keeps one. A body must have exactly the length of its
 * buffer. The SDK's own retries are off, so that {@code RetryPolicy} is the only limit.
 */
public final class S3Lake implements Lake {

    private static final Duration CONNECTION_IDLE = Duration.ofSeconds(30);
    private static final int MOST_SMALL_BYTES = 1 << 20;
    private static final int WAITING_PER_CONNECTION = 64;

    private final S3LakeConfig config;
    private final S3AsyncClient client;
    private final S3Client reads;
    private final RetryPolicy attempts;
    private final LongAdder bytesRead = new LongAdder();

    private S3Lake(
            S3LakeConfig config,
            AwsCredentialsProvider credentials,
            LakeEvents events,
            LakeProxy proxy) {
        this.config = config;
        this.attempts = new RetryPolicy(config.attempts(), events);
        S3AsyncClientBuilder builder =
                S3AsyncClient.builder()
                        .region(Region.of(config.region()))
                        .forcePathStyle(config.pathStyle())
                        .credentialsProvider(credentials)
                        // Some stores do not support the SDK's default checksum trailers.
                        .requestChecksumCalculation(RequestChecksumCalculation.WHEN_REQUIRED)
                        .responseChecksumValidation(ResponseChecksumValidation.WHEN_REQUIRED)
                        .overrideConfiguration(o -> override(o, config))
                        .httpClientBuilder(
                                NettyNioAsyncHttpClient.builder()
                                        .proxyConfiguration(proxy.forNetty())
                                        .maxConcurrency(config.connections())
                                        .maxPendingConnectionAcquires(
                                                config.connections() * WAITING_PER_CONNECTION)
                                        .connectionAcquisitionTimeout(config.attemptTimeout())
                                        .connectionTimeout(config.connectTimeout())
                                        .connectionMaxIdleTime(CONNECTION_IDLE)
                                        .readTimeout(config.idleTimeout())
                                        .writeTimeout(config.idleTimeout()));
        if (config.endpoint() != null) {
            builder.endpointOverride(config.endpoint());
        }
        config.buckets().applyTo(builder);
        this.client = builder.build();
        this.reads = reads(config, credentials, proxy);
    }

    private static S3Client reads(
            S3LakeConfig config, AwsCredentialsProvider credentials, LakeProxy proxy) {
        S3ClientBuilder builder =
                S3Client.builder()
                        .region(Region.of(config.region()))
                        .forcePathStyle(config.pathStyle())
                        .credentialsProvider(credentials)
                        .responseChecksumValidation(ResponseChecksumValidation.WHEN_REQUIRED)
                        .overrideConfiguration(o -> override(o, config))
                        .httpClientBuilder(
                                Apache5HttpClient.builder()
                                        .proxyConfiguration(proxy.forApache())
                                        .maxConnections(config.connections())
                                        .connectionAcquisitionTimeout(config.attemptTimeout())
                                        .connectionTimeout(config.connectTimeout())
                                        .connectionMaxIdleTime(CONNECTION_IDLE)
                                        .socketTimeout(config.idleTimeout()));
        if (config.endpoint() != null) {
            builder.endpointOverride(config.endpoint());
        }
        config.buckets().applyTo(builder);
        return builder.build();
    }

    private static void override(ClientOverrideConfiguration.Builder o, S3LakeConfig config) {
        o.retryStrategy(AwsRetryStrategy.doNotRetry())
                .addExecutionInterceptor(config.buckets().payer());
    }

    /**
     * Opens a lake with the credentials of the AWS default chain. Connects at the first request.
     *
     * @throws ForebayException {@code INVALID_ARGUMENT} if an environment variable names an invalid
     *     proxy
     */
    public static S3Lake open(S3LakeConfig config) {
        return open(config, LakeEvents.NONE);
    }

    /** Like {@link #open(S3LakeConfig)}, and reports failed attempts to {@code events}. */
    public static S3Lake open(S3LakeConfig config, LakeEvents events) {
        return open(config, events, System.getenv());
    }

    static S3Lake open(S3LakeConfig config, LakeEvents events, Map<String, String> environment) {
        return new S3Lake(
                config,
                LakeCredentials.find(config, environment),
                events,
                LakeProxy.to(address(config, environment), environment));
    }

    /** Returns the address of the store, without the name of a bucket. */
    private static URI address(S3LakeConfig config, Map<String, String> environment) {
        return Optional.ofNullable(config.endpoint())
                .or(() -> NamedEndpoint.of("S3", environment))
                .orElseGet(
                        () ->
                                URI.create(
                                        "https://"
                                                + S3Client.serviceMetadata()
                                                        .endpointFor(Region.of(config.region()))));
    }

    /** Opens a lake with the given credentials. Connects at the first request. */
    public static S3Lake open(S3LakeConfig config, S3Credentials credentials) {
        return open(config, credentials, LakeEvents.NONE);
    }

    /**
     * Like {@link #open(S3LakeConfig, S3Credentials)}, and reports failed attempts to {@code
     * events}.
     */
    static S3Lake open(S3LakeConfig config, S3Credentials credentials, LakeEvents events) {
        return new S3Lake(
                config,
                StaticCredentialsProvider.create(
                        AwsBasicCredentials.create(
                                credentials.accessKey(), credentials.secretKey())),
                events,
                LakeProxy.to(address(config, System.getenv()), System.getenv()));
    }

    @Override
    public Listing listing(String bucket, String prefix) {
        return S3Listing.begin(client, attempts, bucket, prefix);
    }

    @Override
    public void read(
            String bucket, LakeObject object, long offset, ByteBuffer target, ReadMeter meter) {
        long size = object.size();
        int wanted = target.remaining();
        if (wanted == 0) {
            return;
        }
        if (offset < 0 || offset > size - wanted) {
            throw new ForebayException(
                    ErrorCode.INVALID_ARGUMENT,
                    "invalid range [%d, %d) of %d bytes".formatted(offset, offset + wanted, size));
        }
        GetObjectRequest.Builder request =
                GetObjectRequest.builder()
                        .bucket(bucket)
                        .key(object.key())
                        .versionId(object.versionId())
                        .overrideConfiguration(deadline(wanted));
        Instant modified = ETag.time(object.etag());
        if (modified != null) {
            // Headers have whole seconds, but stores compare fractions. RangeReader compares the
            // time in the answer, too.
            request.ifUnmodifiedSince(modified.plusSeconds(1));
        } else if (!object.etag().isEmpty()) {
            request.ifMatch('"' + object.etag() + '"');
        }
        if (wanted == size) {
            request.checksumMode(ChecksumMode.ENABLED);
        } else {
            request.range("bytes=%d-%d".formatted(offset, offset + wanted - 1));
        }
        boolean _ =
                attempts.runBlocking(
                        Request.read(object.versionId()),
                        what(bucket, object.key()),
                        () ->
                                metered(
                                        request.build(),
                                        new RangeReader(target, object, offset, bytesRead),
                                        wanted,
                                        meter));
        target.position(target.limit());
    }

    private boolean metered(
            GetObjectRequest request, RangeReader reader, int wanted, ReadMeter meter) {
        meter.asking(wanted);
        boolean sent = true;
        try {
            return reads.getObject(request, reader);
        } catch (SdkClientException e) {
            sent = !isUnconnected(e);
            throw e;
        } finally {
            if (sent) {
                meter.answered(wanted, reader.came());
            } else {
                meter.notAsked(wanted);
            }
        }
    }

    private static boolean isUnconnected(Throwable failure) {
        for (Throwable at = failure; at != null; at = at.getCause()) {
            if (at instanceof ConnectException || at instanceof UnknownHostException) {
                return true;
            }
        }
        return false;
    }

    @Override
    public void putIfAbsent(String bucket, String key, Path file) {
        if (holds(bucket, key, file)) {
            return;
        }
        long bytes = sizeOf(file);
        attempts.run(
                Request.PUT,
                what(bucket, key),
                () ->
                        client.putObject(
                                b ->
                                        b.bucket(bucket)
                                                .key(key)
                                                .overrideConfiguration(deadline(bytes)),
                                AsyncRequestBody.fromFile(file)));
        if (!holds(bucket, key, file)) {
            throw new ForebayException(
                    ErrorCode.CORRUPT,
                    what(bucket, key)
                            + ": the lake returns other bytes than Forebay wrote: check the store");
        }
    }

    @Override
    public Optional<byte[]> find(String bucket, String key) {
        return ifThere(
                bucket,
                key,
                MOST_SMALL_BYTES,
                (response, body) -> body.readNBytes(MOST_SMALL_BYTES));
    }

    private <T> Optional<T> ifThere(
            String bucket, String key, long bytes, ResponseTransformer<GetObjectResponse, T> read) {
        GetObjectRequest request =
                GetObjectRequest.builder()
                        .bucket(bucket)
                        .key(key)
                        .overrideConfiguration(deadline(bytes))
                        .build();
        try {
            return Optional.of(
                    attempts.runBlocking(
                            Request.READ, what(bucket, key), () -> reads.getObject(request, read)));
        } catch (ForebayException e) {
            if (e.code() == ErrorCode.LAKE_OBJECT_CHANGED) {
                return Optional.empty();
            }
            throw e;
        }
    }

    @Override
    public byte[] createOnce(String bucket, String key, byte[] content) {
        // Check first, because some stores ignore the If-None-Match condition.
        Optional<byte[]> there = find(bucket, key);
        if (there.isPresent()) {
            return there.get();
        }
        attempts.run(
                Request.PUT,
                what(bucket, key),
                () ->
                        client.putObject(
                                        b ->
                                                b.bucket(bucket)
                                                        .key(key)
                                                        .ifNoneMatch("*")
                                                        .overrideConfiguration(
                                                                deadline(content.length)),
                                        AsyncRequestBody.fromBytes(content))
                                .exceptionallyCompose(S3Lake::unlessThere));
        return find(bucket, key)
                .orElseThrow(
                        () ->
                                new ForebayException(
                                        ErrorCode.CORRUPT,
                                        what(bucket, key)
                                                + ": the lake accepted the object but does not "
                                                + "have it: check the store"));
    }

    private static CompletableFuture<PutObjectResponse> unlessThere(Throwable error) {
        return S3Failure.isPreconditionFailed(error)
                ? CompletableFuture.completedFuture(PutObjectResponse.builder().build())
                : CompletableFuture.failedFuture(error);
    }

    private boolean holds(String bucket, String key, Path file) {
        return ifThere(bucket, key, sizeOf(file), new SameBytes(file, bytesRead)).orElse(false);
    }

    @Override
    public void download(String bucket, String key, Path file) {
        String what = what(bucket, key);
        HeadObjectResponse head =
                attempts.run(
                        Request.READ,
                        what,
                        () ->
                                client.headObject(
                                        b ->
                                                b.bucket(bucket)
                                                        .key(key)
                                                        .overrideConfiguration(deadline(0))));
        boolean known = ETag.of(head.eTag()).isStrong();
        attempts.run(
                Request.READ,
                what,
                () ->
                        client.getObject(
                                b ->
                                        b.bucket(bucket)
                                                .key(key)
                                                .versionId(head.versionId())
                                                .ifMatch(known ? head.eTag() : null)
                                                .checksumMode(ChecksumMode.ENABLED)
                                                .overrideConfiguration(
                                                        deadline(head.contentLength())),
                                AsyncResponseTransformer.toFile(
                                        file, FileTransformerConfiguration.defaultCreateNew())));
        bytesRead.add(head.contentLength());
        if (sizeOf(file) != head.contentLength()) {
            throw new ForebayException(
                    ErrorCode.LAKE_UNAVAILABLE,
                    "%s: received %d of %d bytes"
                            .formatted(what, sizeOf(file), head.contentLength()));
        }
    }

    private static long sizeOf(Path file) {
        try {
            return Files.size(file);
        } catch (IOException e) {
            throw new ForebayException(ErrorCode.INTERNAL, "cannot read " + file, e);
        }
    }

    private Consumer<AwsRequestOverrideConfiguration.Builder> deadline(long bytes) {
        return o -> o.apiCallAttemptTimeout(config.deadline(bytes));
    }

    private static String what(String bucket, String key) {
        return "s3://" + bucket + "/" + key;
    }

    /** Returns the number of requests sent, including failed requests and retries. */
    public long requests() {
        return attempts.requests();
    }

    /** Returns the number of bytes received in bodies of objects, including failed attempts. */
    public long bytesRead() {
        return bytesRead.sum();
    }

    @Override
    public void close() {
        reads.close();
        client.close();
    }
}
