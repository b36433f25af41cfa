package dev.forebay.lake.s3;

import dev.forebay.lake.KeyOrder;
import dev.forebay.lake.LakeObject;
import dev.forebay.model.ErrorCode;
import dev.forebay.model.ForebayException;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Objects;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import software.amazon.awssdk.services.s3.model.DeleteMarkerEntry;
import software.amazon.awssdk.services.s3.model.ObjectVersion;
import software.amazon.awssdk.services.s3.model.S3Object;

/**
 * Collects the entries of one page of a listing and checks what S3 promises. Each key is below the
 * prefix, after the requested key, in the order of the keys' UTF-8 bytes, and occurs once. Each
 * object has a size, and a version id, an ETag or a time by which a later read can identify it.
 *
 * <p>If a store broke these promises unnoticed, a version could miss objects or have them twice.
 * All methods throw {@code LAKE_UNSUPPORTED}, naming the key and the promise.
 */
final class ListedPage {

    private final String what;
    private final String prefix;
    private final @Nullable String after;
    private final List<LakeObject> objects = new ArrayList<>();
    private @Nullable String last;

    /**
     * @param what the listing, for messages
     * @param after the key that the page follows; null for the first page
     */
    ListedPage(String what, String prefix, @Nullable String after) {
        this.what = what;
        this.prefix = prefix;
        this.after = after;
    }

    /** Returns the current objects of the page, in order. */
    List<LakeObject> objects() {
        return objects;
    }

    /**
     * Returns the last key of the page, even if it is that of a delete marker; null if the page is
     * empty.
     */
    @Nullable String lastKey() {
        return last;
    }

    /** Adds the next object of a bucket without versioning. */
    void add(S3Object object) {
        String key = below(object.key());
        if (after != null && KeyOrder.UTF8.compare(key, after) <= 0) {
            throw tooEarly(key);
        }
        if (last != null && KeyOrder.UTF8.compare(key, last) <= 0) {
            throw outOfOrder(key, last);
        }
        last = key;
        objects.add(
                object(
                        key,
                        object.size(),
                        object.lastModified(),
                        object.eTag(),
                        null,
                        StorageClass.of(object.storageClassAsString(), object.restoreStatus())));
    }

    /** Checks the number of keys that the store claims to send. */
    void counted(@Nullable Integer count) {
        if (count != null && count > objects.size()) {
            throw broken(
                    "reports %d keys for a page, but sends %d".formatted(count, objects.size()));
        }
    }

    /**
     * Adds a page of a bucket with versioning. The versions of each key are adjacent, newest first.
     */
    void add(List<ObjectVersion> versions, List<DeleteMarkerEntry> deleteMarkers) {
        Set<String> current = new HashSet<>();
        for (DeleteMarkerEntry marker : deleteMarkers) {
            if (Boolean.TRUE.equals(marker.isLatest())) {
                current.add(below(marker.key()));
            }
        }
        for (ObjectVersion version : versions) {
            String key = below(version.key());
            if (isPassedOver(key) || !Boolean.TRUE.equals(version.isLatest())) {
                continue;
            }
            if (!current.add(key)) {
                throw broken("lists two current versions of '%s'".formatted(key));
            }
            objects.add(
                    object(
                            key,
                            version.size(),
                            version.lastModified(),
                            version.eTag(),
                            version.versionId(),
                            StorageClass.of(
                                    version.storageClassAsString(), version.restoreStatus())));
        }
        inOrder(versions.stream().map(ObjectVersion::key).toList(), current);
        inOrder(deleteMarkers.stream().map(DeleteMarkerEntry::key).toList(), current);
    }

    private boolean isPassedOver(String key) {
        return after != null && KeyOrder.UTF8.compare(key, after) <= 0;
    }

    private void inOrder(List<String> keys, Set<String> current) {
        String before = null;
        for (String key : keys) {
            below(key);
            if (after != null && KeyOrder.UTF8.compare(key, after) < 0) {
                throw tooEarly(key);
            }
            if (before != null && KeyOrder.UTF8.compare(key, before) < 0) {
                throw outOfOrder(key, before);
            }
            if (!isPassedOver(key) && !current.contains(key)) {
                throw broken("lists versions of '%s' without the current one first".formatted(key));
            }
            before = key;
        }
        if (!keys.isEmpty() && (last == null || KeyOrder.UTF8.compare(keys.getLast(), last) > 0)) {
            last = keys.getLast();
        }
    }

    private String below(@Nullable String key) {
        if (key == null || !key.startsWith(prefix)) {
            throw broken("lists '%s', which is not below '%s'".formatted(key, prefix));
        }
        return key;
    }

    private LakeObject object(
            String key,
            @Nullable Long size,
            @Nullable Instant modified,
            @Nullable String tag,
            @Nullable String versionId,
            @Nullable String storageClass) {
        if (StorageClass.EXPRESS.equals(storageClass)) {
            throw DirectoryBucket.refused(what);
        }
        if (size == null || size < 0) {
            throw broken("lists '%s' with the size %s".formatted(key, size));
        }
        return new LakeObject(
                key,
                size,
                Objects.requireNonNullElse(modified, Instant.EPOCH),
                identity(key, ETag.of(tag), modified, versionId),
                versionId,
                storageClass);
    }

    private String identity(
            String key, ETag etag, @Nullable Instant modified, @Nullable String versionId) {
        if (etag.isStrong()) {
            return etag.value();
        }
        if (versionId != null) {
            return "";
        }
        if (modified == null) {
            throw broken(
                    "lists '%s' with neither an ETag nor a time, so a replacement cannot be detected"
                            .formatted(key));
        }
        return ETag.ofTime(modified);
    }

    /**
     * Does not name the requested key, which may be a line of a key list and thus the content of an
     * object.
     */
    private ForebayException tooEarly(String key) {
        return broken("lists '%s', which does not follow the requested start key".formatted(key));
    }

    private ForebayException outOfOrder(String key, String before) {
        return broken(
                key.equals(before)
                        ? "lists '%s' twice".formatted(key)
                        : "lists '%s' after '%s', which is not the order of their UTF-8 bytes"
                                .formatted(key, before));
    }

    private ForebayException broken(String how) {
        return new ForebayException(ErrorCode.LAKE_UNSUPPORTED, what + ": the lake " + how);
    }
}
