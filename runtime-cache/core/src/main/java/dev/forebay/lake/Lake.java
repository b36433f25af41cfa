package dev.forebay.lake;

import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.util.Optional;
import java.util.function.Consumer;

/**
 * An S3-compatible object store. Calls block; use them on virtual threads. Safe for use by many
 * threads.
 *
 * <p>All methods throw {@link dev.forebay.model.ForebayException} with one of the {@code LAKE_*}
 * codes. Transient failures have been retried, within the configured bounds, when {@code
 * LAKE_UNAVAILABLE} is thrown.
 */
public interface Lake extends AutoCloseable {

    /**
     * Begins to list what is below {@code prefix}. In a bucket with versioning that is the current
     * version of each object, with its version id.
     */
    Listing listing(String bucket, String prefix);

    /**
     * Lists every object below {@code prefix}, in the order of the keys' UTF-8 bytes, one page
     * after the other.
     *
     * @param progress called after each page with the number of objects so far
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
     * Reads bytes {@code [offset, offset + target.remaining())} of an object into {@code target},
     * filling it completely.
     *
     * <p>The read addresses the object's version, if it has one, and is conditional on its ETag; an
     * object with neither must not have been modified since. A full-object read verifies the
     * checksum the store keeps, if it keeps one. A short, long or misplaced answer is a failure,
     * never data.
     *
     * @param object as the manifest says
     * @param meter hears of each request
     * @throws dev.forebay.model.ForebayException {@code LAKE_OBJECT_CHANGED} if the object is gone
     *     or has another ETag or size
     */
    void read(String bucket, LakeObject object, long offset, ByteBuffer target, ReadMeter meter);

    /** As above, and nobody counts what it costs. */
    default void read(String bucket, LakeObject object, long offset, ByteBuffer target) {
        read(bucket, object, offset, target, ReadMeter.NONE);
    }

    /**
     * Stores a local file under a content-addressed key in Forebay's own bucket, unless that very
     * file is there already, and reads it back. Other bytes under its name are replaced.
     *
     * @throws dev.forebay.model.ForebayException {@code CORRUPT} if the lake does not give back
     *     what it took
     */
    void putIfAbsent(String bucket, String key, Path file);

    /** What a small object of Forebay's own bucket has, if it is there: 1 MiB at most. */
    Optional<byte[]> find(String bucket, String key);

    /**
     * Stores a small object in Forebay's own bucket, unless there is one of that key, and returns
     * what is there then: of several who store at once, one does.
     */
    byte[] createOnce(String bucket, String key, byte[] content);

    /** Downloads an object of Forebay's own bucket to a local file that does not exist yet. */
    void download(String bucket, String key, Path file);

    @Override
    void close();
}
