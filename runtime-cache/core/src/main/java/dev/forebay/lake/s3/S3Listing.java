package dev.forebay.lake.s3;

import dev.forebay.lake.KeyOrder;
import dev.forebay.lake.LakeObject;
import dev.forebay.lake.Listing;
import dev.forebay.lake.s3.S3Failure.Request;
import dev.forebay.model.ErrorCode;
import dev.forebay.model.ForebayException;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;
import software.amazon.awssdk.services.s3.S3AsyncClient;
import software.amazon.awssdk.services.s3.model.BucketVersioningStatus;
import software.amazon.awssdk.services.s3.model.EncodingType;
import software.amazon.awssdk.services.s3.model.ListObjectVersionsResponse;
import software.amazon.awssdk.services.s3.model.ListObjectsV2Response;
import software.amazon.awssdk.services.s3.model.OptionalObjectAttributes;
import software.amazon.awssdk.services.s3.model.S3Object;

/**
 * Lists the objects below a prefix. It can start behind any key, so that any number of walks can
 * start anywhere. A page that continues another one is requested by the store's token, if there is
 * one. A store that lists in another order, but takes keys in the order of their bytes to start at,
 * would otherwise leave out objects.
 *
 * <p>This requires a store that lists keys in the order of their bytes, so {@link ListedPage}
 * checks each page. If a page breaks a promise, it is requested once more, because a proxy may have
 * garbled it. Then the store is refused.
 */
final class S3Listing implements Listing {

    /** A longer series of pages without any of the requested entries is considered endless. */
    private static final int MOST_PAGES = 10_000;

    /** More than the walks that are under way at once. */
    private static final int MOST_TOKENS = 1_000;

    private final S3AsyncClient client;
    private final RetryPolicy attempts;
    private final String bucket;
    private final String prefix;
    private final boolean versioned;
    private final KeyProbe probe;
    private final ArchiveProbe archive;

    /** The store's token of each page that was not continued yet, by its last key. */
    private final Map<String, String> tokens = new ConcurrentHashMap<>();

    private S3Listing(
            S3AsyncClient client,
            RetryPolicy attempts,
            String bucket,
            String prefix,
            boolean versioned) {
        this.client = client;
        this.attempts = attempts;
        this.bucket = bucket;
        this.prefix = prefix;
        this.versioned = versioned;
        this.probe = new KeyProbe(client, attempts, bucket, prefix);
        this.archive = new ArchiveProbe(client, attempts, bucket);
    }

    static S3Listing begin(
            S3AsyncClient client, RetryPolicy attempts, String bucket, String prefix) {
        if (DirectoryBucket.isNamed(bucket)) {
            throw DirectoryBucket.refused("s3://" + bucket);
        }
        return new S3Listing(
                client, attempts, bucket, prefix, isVersioned(client, attempts, bucket));
    }

    /**
     * A store that does not report its versioning, or refuses the request, is read without version
     * ids.
     */
    private static boolean isVersioned(S3AsyncClient client, RetryPolicy attempts, String bucket) {
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
        Page page = listed(after, limit);
        return new Page(archive.look(page.objects()), page.next());
    }

    private Page listed(@Nullable String after, int limit) {
        String token = after == null ? null : tokens.remove(after);
        try {
            return listed(after, token, limit);
        } catch (ForebayException e) {
            if (e.code() != ErrorCode.LAKE_UNSUPPORTED) {
                throw e;
            }
            return listed(after, token, limit);
        }
    }

    private Page listed(@Nullable String after, @Nullable String token, int limit) {
        return versioned ? versions(after, limit) : objects(after, token, limit);
    }

    @Override
    public void check(LakeObject object) {
        probe.accept(object, () -> isListed(object.key()));
    }

    private boolean isListed(String key) {
        return attempts
                .run(
                        Request.LIST,
                        what(),
                        () ->
                                client.listObjectsV2(
                                        b ->
                                                b.bucket(bucket)
                                                        .prefix(key)
                                                        .maxKeys(1)
                                                        .encodingType(EncodingType.URL)))
                .contents()
                .stream()
                .anyMatch(object -> key.equals(object.key()));
    }

    private Page objects(@Nullable String after, @Nullable String continued, int limit) {
        String token = continued;
        for (int pages = 0; pages < MOST_PAGES; pages++) {
            ListObjectsV2Response page = objectsAt(after, token, limit);
            ListedPage listed = new ListedPage(what(), prefix, after);
            for (S3Object object : page.contents()) {
                listed.add(object);
            }
            listed.counted(page.keyCount());
            List<LakeObject> objects = listed.objects();
            String next = page.nextContinuationToken();
            boolean more =
                    isGiven(next)
                            || isCut(page.isTruncated(), objects.size(), limit, page.maxKeys());
            if (!more) {
                return new Page(objects, null);
            }
            if (!objects.isEmpty()) {
                String last = objects.getLast().key();
                if (isGiven(next)) {
                    remember(last, next);
                }
                return new Page(objects, last);
            }
            if (!isGiven(next) || next.equals(token)) {
                throw cut();
            }
            token = next;
        }
        throw cut();
    }

    /**
     * Returns whether a page may not be the last. Some stores cut a page without notice, or have a
     * limit of their own. Only an empty page is the end of one that says nothing.
     */
    private static boolean isCut(
            @Nullable Boolean truncated, int entries, int limit, @Nullable Integer ownLimit) {
        boolean isFull = entries >= limit || (ownLimit != null && entries >= ownLimit);
        return truncated == null ? entries > 0 : truncated || (entries > 0 && isFull);
    }

    private void remember(String last, String token) {
        if (tokens.size() >= MOST_TOKENS) {
            tokens.clear(); // of walks that ended before their page did
        }
        tokens.put(last, token);
    }

    private ListObjectsV2Response objectsAt(
            @Nullable String after, @Nullable String token, int limit) {
        ListObjectsV2Response page = objectsAt(after, token, limit, Set.of());
        return page.contents().stream()
                        .anyMatch(o -> StorageClass.isArchive(o.storageClassAsString()))
                ? withRestores(page, restores -> objectsAt(after, token, limit, restores))
                : page;
    }

    /**
     * Lists a page again, with the status of restores. Only a page with archived objects needs
     * this, and some stores refuse the additional parameter.
     */
    private static <T> T withRestores(T page, Function<Set<OptionalObjectAttributes>, T> again) {
        try {
            return again.apply(Set.of(OptionalObjectAttributes.RESTORE_STATUS));
        } catch (ForebayException e) {
            if (e.code() != ErrorCode.LAKE_UNSUPPORTED) {
                throw e;
            }
            return page;
        }
    }

    private ListObjectsV2Response objectsAt(
            @Nullable String after,
            @Nullable String token,
            int limit,
            Set<OptionalObjectAttributes> more) {
        return attempts.run(
                Request.LIST,
                what(),
                () ->
                        client.listObjectsV2(
                                        b ->
                                                b.bucket(bucket)
                                                        .prefix(prefix)
                                                        .startAfter(token == null ? after : null)
                                                        .continuationToken(token)
                                                        .optionalObjectAttributes(more)
                                                        .maxKeys(limit)
                                                        .encodingType(EncodingType.URL))
                                .thenApply(
                                        page ->
                                                requireListing(
                                                        page,
                                                        page.hasContents(),
                                                        page.isTruncated(),
                                                        page.name())));
    }

    /**
     * Checks that an answer is a listing. An error page with status 200 has no entries, so it would
     * look like the end of the listing, and later objects would be lost.
     */
    private static <T> T requireListing(
            T page, boolean entries, @Nullable Boolean truncated, @Nullable String name) {
        if (!entries && truncated == null && name == null) {
            throw new ForebayException(
                    ErrorCode.LAKE_UNAVAILABLE,
                    "the answer has status 200 but is not a listing: check the store, and "
                            + "proxies before it");
        }
        return page;
    }

    private static boolean isGiven(@Nullable String marker) {
        return marker != null && !marker.isEmpty();
    }

    /**
     * Lists current versions. The versions of a key come newest first, so a page with any of them
     * has the current one. The next page therefore starts after the last key, even if older
     * versions of it remain. Stores disagree whether a page after a key marker may contain that
     * key, so its versions are skipped.
     */
    private Page versions(@Nullable String after, int limit) {
        String key = after;
        String version = null;
        Set<String> markers = new HashSet<>();
        for (int pages = 0; pages < MOST_PAGES; pages++) {
            ListObjectVersionsResponse page = versionsAt(key, version);
            ListedPage listed = new ListedPage(what(), prefix, after);
            listed.add(page.versions(), page.deleteMarkers());
            List<LakeObject> objects = listed.objects();
            if (objects.size() > limit) {
                List<LakeObject> some = List.copyOf(objects.subList(0, limit));
                return new Page(some, some.getLast().key());
            }
            String last = listed.lastKey();
            int entries = page.versions().size() + page.deleteMarkers().size();
            boolean isBehind = last != null && isBehind(last, after);
            boolean more =
                    isGiven(page.nextKeyMarker())
                            || (page.isTruncated() == null
                                    ? isBehind
                                    : isCut(
                                            page.isTruncated(),
                                            entries,
                                            PAGE_OBJECTS,
                                            page.maxKeys()));
            if (!more) {
                return new Page(objects, null);
            }
            if (isBehind) {
                return new Page(objects, last);
            }
            // The page is empty, or has only versions of the requested key.
            key = page.nextKeyMarker();
            version = page.nextVersionIdMarker();
            if (key == null
                    || isBehind(after == null ? "" : after, key)
                    || !markers.add(key + '\n' + version)) {
                throw cut();
            }
        }
        throw cut();
    }

    private static boolean isBehind(String key, @Nullable String after) {
        return after == null || KeyOrder.UTF8.compare(key, after) > 0;
    }

    private ListObjectVersionsResponse versionsAt(@Nullable String key, @Nullable String version) {
        ListObjectVersionsResponse page = versionsAt(key, version, Set.of());
        return page.versions().stream()
                        .anyMatch(v -> StorageClass.isArchive(v.storageClassAsString()))
                ? withRestores(page, restores -> versionsAt(key, version, restores))
                : page;
    }

    private ListObjectVersionsResponse versionsAt(
            @Nullable String key, @Nullable String version, Set<OptionalObjectAttributes> more) {
        return attempts.run(
                Request.LIST_VERSIONS,
                what(),
                () ->
                        client.listObjectVersions(
                                        b ->
                                                b.bucket(bucket)
                                                        .prefix(prefix)
                                                        .keyMarker(key)
                                                        .versionIdMarker(version)
                                                        .optionalObjectAttributes(more)
                                                        .maxKeys(PAGE_OBJECTS)
                                                        .encodingType(EncodingType.URL))
                                .thenApply(
                                        page ->
                                                requireListing(
                                                        page,
                                                        page.hasVersions()
                                                                || page.hasDeleteMarkers(),
                                                        page.isTruncated(),
                                                        page.name())));
    }

    /** An incomplete listing must not look complete. */
    private ForebayException cut() {
        return new ForebayException(
                ErrorCode.LAKE_UNSUPPORTED,
                what() + ": the lake cut the listing without a continuation token");
    }

    private String what() {
        return "s3://" + bucket + "/" + prefix;
    }
}
