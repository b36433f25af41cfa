package dev.forebay.lake.s3;

import dev.forebay.lake.LakeObject;
import dev.forebay.lake.s3.S3Failure.Request;
import dev.forebay.model.ErrorCode;
import dev.forebay.model.ForebayException;
import java.time.Instant;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;
import software.amazon.awssdk.services.s3.S3AsyncClient;
import software.amazon.awssdk.services.s3.model.BucketVersioningStatus;
import software.amazon.awssdk.services.s3.model.EncodingType;
import software.amazon.awssdk.services.s3.model.ListObjectVersionsResponse;
import software.amazon.awssdk.services.s3.model.ListObjectsV2Response;
import software.amazon.awssdk.services.s3.model.ObjectVersion;
import software.amazon.awssdk.services.s3.model.S3Object;

/** One walk through a prefix, page by page. */
final class S3Listing {

    private final S3AsyncClient client;
    private final Attempts attempts;
    private final String bucket;
    private final String prefix;
    private final Consumer<LakeObject> each;
    private final Consumer<Long> progress;
    private long count;

    S3Listing(
            S3AsyncClient client,
            Attempts attempts,
            String bucket,
            String prefix,
            Consumer<LakeObject> each,
            Consumer<Long> progress) {
        this.client = client;
        this.attempts = attempts;
        this.bucket = bucket;
        this.prefix = prefix;
        this.each = each;
        this.progress = progress;
    }

    void run() {
        if (versioned()) {
            listVersions();
        } else {
            listObjects();
        }
    }

    /** A store that does not say, or does not let us ask, is read without version ids. */
    private boolean versioned() {
        try {
            return attempts.run(
                                    Request.LIST,
                                    "s3://" + bucket,
                                    () -> client.getBucketVersioning(b -> b.bucket(bucket)))
                            .status()
                    == BucketVersioningStatus.ENABLED;
        } catch (ForebayException e) {
            if (e.code() != ErrorCode.LAKE_EMPTY && S3Failure.isRefusal(e)) {
                return false;
            }
            throw e;
        }
    }

    private void listObjects() {
        String token = null;
        do {
            String from = token;
            ListObjectsV2Response page =
                    attempts.run(
                            Request.LIST,
                            what(),
                            () ->
                                    client.listObjectsV2(
                                            b ->
                                                    b.bucket(bucket)
                                                            .prefix(prefix)
                                                            .continuationToken(from)
                                                            .encodingType(EncodingType.URL)));
            for (S3Object object : page.contents()) {
                emit(object.key(), object.size(), object.lastModified(), object.eTag(), null);
            }
            progress.accept(count);
            token = page.nextContinuationToken();
            requireEnd(page.isTruncated(), token);
        } while (token != null);
    }

    private void listVersions() {
        String key = null;
        String version = null;
        do {
            String fromKey = key;
            String fromVersion = version;
            ListObjectVersionsResponse page =
                    attempts.run(
                            Request.LIST,
                            what(),
                            () ->
                                    client.listObjectVersions(
                                            b ->
                                                    b.bucket(bucket)
                                                            .prefix(prefix)
                                                            .keyMarker(fromKey)
                                                            .versionIdMarker(fromVersion)
                                                            .encodingType(EncodingType.URL)));
            for (ObjectVersion object : page.versions()) {
                if (Boolean.TRUE.equals(object.isLatest())) {
                    emit(
                            object.key(),
                            object.size(),
                            object.lastModified(),
                            object.eTag(),
                            object.versionId());
                }
            }
            progress.accept(count);
            boolean more = Boolean.TRUE.equals(page.isTruncated());
            key = more ? page.nextKeyMarker() : null;
            version = more ? page.nextVersionIdMarker() : null;
            requireEnd(more, key);
        } while (key != null);
    }

    private void emit(
            String key,
            @Nullable Long size,
            @Nullable Instant modified,
            @Nullable String etag,
            @Nullable String versionId) {
        count++;
        each.accept(
                new LakeObject(
                        key,
                        size == null ? 0 : size,
                        modified == null ? Instant.EPOCH : modified,
                        unquoted(etag),
                        versionId));
    }

    /** Half a listing must not pass for a whole one. */
    private void requireEnd(@Nullable Boolean truncated, @Nullable String next) {
        if (Boolean.TRUE.equals(truncated) && next == null) {
            throw new ForebayException(
                    ErrorCode.LAKE_UNAVAILABLE,
                    what() + ": the lake cut the listing and does not say where to go on");
        }
    }

    private String what() {
        return "s3://" + bucket + "/" + prefix;
    }

    static String unquoted(@Nullable String etag) {
        return etag == null ? "" : etag.replace("\"", "");
    }
}
