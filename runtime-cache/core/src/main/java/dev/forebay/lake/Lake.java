package dev.forebay.lake;

import java.nio.file.Path;
import java.util.Optional;

/**
 * Client of an S3-compatible object store, with originals and Forebay's own bucket. Calls block and
 * fail as those of {@link LakeReader}. Thread-safe.
 */
public interface Lake extends LakeReader, AutoCloseable {

    /**
     * Stores a local file under a content-addressed key in Forebay's own bucket, unless the lake
     * already has the same bytes there, and verifies what the lake returns. Different bytes under
     * the key are replaced.
     *
     * @throws dev.forebay.model.ForebayException {@code CORRUPT} if the lake does not return the
     *     bytes that were stored
     */
    void putIfAbsent(String bucket, String key, Path file);

    /**
     * Returns the content of a small object in Forebay's own bucket, at most 1 MiB. Empty if it
     * does not exist.
     */
    Optional<byte[]> find(String bucket, String key);

    /**
     * Stores a small object in Forebay's own bucket, unless the key exists, and returns the stored
     * content. If several callers store at once, one wins and all of them get its content.
     */
    byte[] createOnce(String bucket, String key, byte[] content);

    /** Downloads an object of Forebay's own bucket to a local file that must not exist yet. */
    void download(String bucket, String key, Path file);

    @Override
    void close();
}
