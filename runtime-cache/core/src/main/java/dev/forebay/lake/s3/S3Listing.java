package dev.forebay.lake.s3;

import dev.forebay.lake.KeyOrder;
import dev.forebay.lake.LakeObject;
import dev.forebay.lake.Listing;
import dev.forebay.lake.s3.S3Failure.Request;
import dev.forebay.model.ErrorCode;
import dev.forebay.model.ForebayException;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import org.jspecify.annotations.Nullable;
import software.amazon.awssdk.services.s3.S3AsyncClient;
import software.amazon.awssdk.services.s3.model.BucketVersioningStatus;
import software.amazon.awssdk.services.s3.model.DeleteMarkerEntry;
import software.amazon.awssdk.services.s3.model.EncodingType;
import software.amazon.awssdk.services.s3.model.ListObjectVersionsResponse;
import software.amazon.awssdk.services.s3.model.ListObjectsV2Response;
import software.amazon.awssdk.services.s3.model.ObjectVersion;
import software.amazon.awssdk.services.s3.model.S3Object;

/**
 * What is below a prefix. Every page is asked for by the key that it follows, and not by the
 * store's own token, so that any number of walks can begin anywhere.
 */
final class S3Listing implements Listing {

    private final S3AsyncClient client;
    private final Attempts attempts;
    private final String bucket;
    private final String prefix;
    private final boolean versioned;

    private S3Listing(
            S3AsyncClient client,
            Attempts attempts,
            String bucket,
            String prefix,
            boolean versioned) {
        this.client = client;
        this.attempts = attempts;
        this.bucket = bucket;
        this.prefix = prefix;
        this.versioned = versioned;
    }

    static S3Listing begin(S3AsyncClient client, Attempts attempts, String bucket, String prefix) {
        return new S3Listing(
                client, attempts, bucket, prefix, isVersioned(client, attempts, bucket));
    }

    /** A store that does not say, or does not let us ask, is read without version ids. */
    private static boolean isVersioned(S3AsyncClient client, Attempts attempts, String bucket) {
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

    @Override
    public Page page(@Nullable String after, int limit) {
        return versioned ? versions(after, limit) : objects(after, limit);
    }

    private Page objects(@Nullable String after, int limit) {
        ListObjectsV2Response page =
                attempts.run(
                        Request.LIST,
                        what(),
                        () ->
                                client.listObjectsV2(
                                        b ->
                                                b.bucket(bucket)
                                                        .prefix(prefix)
                                                        .startAfter(after)
                                                        .maxKeys(limit)
                                                        .encodingType(EncodingType.URL)));
        List<LakeObject> objects = new ArrayList<>(page.contents().size());
        for (S3Object object : page.contents()) {
            if (isBehind(object.key(), after)) {
                objects.add(
                        object(
                                object.key(),
                                object.size(),
                                object.lastModified(),
                                object.eTag(),
                                null));
            }
        }
        // A store that does not go on behind the key would give the same page for ever.
        String last = objects.isEmpty() ? null : objects.getLast().key();
        return new Page(objects, next(page.isTruncated(), last));
    }

    /**
     * The versions of a key come newest first, so a page that has any of them has the current one:
     * the next page begins behind the last key, however many versions of it are left. Stores do not
     * agree whether what follows a key marker begins with that key: its versions are passed over.
     */
    private Page versions(@Nullable String after, int limit) {
        List<LakeObject> objects = new ArrayList<>();
        String key = after;
        String version = null;
        while (true) {
            ListObjectVersionsResponse page = versionsAt(key, version);
            for (ObjectVersion object : page.versions()) {
                if (Boolean.TRUE.equals(object.isLatest()) && isBehind(object.key(), after)) {
                    objects.add(
                            object(
                                    object.key(),
                                    object.size(),
                                    object.lastModified(),
                                    object.eTag(),
                                    object.versionId()));
                }
            }
            if (objects.size() > limit) {
                List<LakeObject> some = List.copyOf(objects.subList(0, limit));
                return new Page(some, some.getLast().key());
            }
            String last = lastKey(page);
            String next = next(page.isTruncated(), last);
            if (next == null || isBehind(next, after)) {
                return new Page(objects, next);
            }
            if (Objects.equals(key, page.nextKeyMarker())
                    && Objects.equals(version, page.nextVersionIdMarker())) {
                throw cut();
            }
            key = page.nextKeyMarker();
            version = page.nextVersionIdMarker();
        }
    }

    private static boolean isBehind(String key, @Nullable String after) {
        return after == null || KeyOrder.UTF8.compare(key, after) > 0;
    }

    private ListObjectVersionsResponse versionsAt(@Nullable String key, @Nullable String version) {
        return attempts.run(
                Request.LIST,
                what(),
                () ->
                        client.listObjectVersions(
                                b ->
                                        b.bucket(bucket)
                                                .prefix(prefix)
                                                .keyMarker(key)
                                                .versionIdMarker(version)
                                                .maxKeys(PAGE_OBJECTS)
                                                .encodingType(EncodingType.URL)));
    }

    private static @Nullable String lastKey(ListObjectVersionsResponse page) {
        List<ObjectVersion> versions = page.versions();
        List<DeleteMarkerEntry> deleted = page.deleteMarkers();
        if (versions.isEmpty()) {
            return deleted.isEmpty() ? null : deleted.getLast().key();
        }
        String key = versions.getLast().key();
        return deleted.isEmpty() || KeyOrder.UTF8.compare(deleted.getLast().key(), key) < 0
                ? key
                : deleted.getLast().key();
    }

    private static LakeObject object(
            String key,
            @Nullable Long size,
            @Nullable Instant modified,
            @Nullable String etag,
            @Nullable String versionId) {
        return new LakeObject(
                key,
                size == null ? 0 : size,
                modified == null ? Instant.EPOCH : modified,
                unquoted(etag),
                versionId);
    }

    /** Half a listing must not pass for a whole one. */
    private @Nullable String next(@Nullable Boolean truncated, @Nullable String last) {
        if (!Boolean.TRUE.equals(truncated)) {
            return null;
        }
        if (last == null) {
            throw cut();
        }
        return last;
    }

    private ForebayException cut() {
        return new ForebayException(
                ErrorCode.LAKE_UNAVAILABLE,
                what() + ": the lake cut the listing and does not say where to go on");
    }

    private String what() {
        return "s3://" + bucket + "/" + prefix;
    }

    static String unquoted(@Nullable String etag) {
        return etag == null ? "" : etag.replace("\"", "");
    }
}
