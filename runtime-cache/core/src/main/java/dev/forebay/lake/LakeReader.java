package dev.forebay.lake;

import java.nio.ByteBuffer;
import java.util.function.Consumer;

/**
 * Lists and reads the originals of datasets in an S3-compatible object store. Calls block, so use
 * virtual threads. Thread-safe.
 *
 * <p>All methods throw {@link dev.forebay.model.ForebayException} with one of the {@code LAKE_*}
 * codes. Before a method throws {@code LAKE_UNAVAILABLE}, it has retried transient failures within
 * the configured bounds.
 */
public interface LakeReader {

    /**
     * Returns a listing of the objects below {@code prefix}. In a bucket with versioning, it lists
     * the current version of each object with its version id.
     */
    Listing listing(String bucket, String prefix);

    /**
     * Lists every object below {@code prefix}, page by page, in the order of the keys' UTF-8 bytes.
     *
     * @param progress receives the number of objects so far, after each page
     */
    default void list(
            String bucket, String prefix, Consumer<LakeObject> each, Consumer<Long> progress) {
        Listing listing = listing(bucket, prefix);
        long count = 0;
        String next = null;
        do {
            Listing.Page page = listing.page(next, Listing.PAGE_OBJECTS);
            page.objects().forEach(each);
            count += page.objects().size();
            progress.accept(count);
            next = page.next();
        } while (next != null);
    }

    /**
     * Reads bytes {@code [offset, offset + target.remaining())} of an object and fills {@code
     * target} completely.
     *
     * <p>The read addresses the object's version, if it has one, and is conditional on its ETag. An
     * object with neither must be unmodified since it was listed. A read of the whole object
     * verifies the checksum that the store keeps, if any. A short, long or misplaced answer is a
     * failure and never becomes data.
     *
     * @param object as the manifest describes it
     * @param meter receives each request
     * @throws dev.forebay.model.ForebayException {@code LAKE_OBJECT_CHANGED} if the object does not
     *     exist any more, or has another ETag or size
     */
    void read(String bucket, LakeObject object, long offset, ByteBuffer target, ReadMeter meter);

    /**
     * Reads as {@link #read(String, LakeObject, long, ByteBuffer, ReadMeter)} does, without
     * counting requests.
     */
    default void read(String bucket, LakeObject object, long offset, ByteBuffer target) {
        read(bucket, object, offset, target, ReadMeter.NONE);
    }
}
