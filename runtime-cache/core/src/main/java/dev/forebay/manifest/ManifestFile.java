package dev.forebay.manifest;

import dev.forebay.model.Digest;
import dev.forebay.model.ErrorCode;
import dev.forebay.model.ForebayException;
import dev.forebay.model.ManifestRef;
import java.io.IOException;
import java.nio.file.Path;

/**
 * A manifest that was just written, with the values for a reference to it.
 *
 * @param digest SHA-256 of the file
 * @param objects the number of files, without directories
 * @param bytes the sum of their sizes, in bytes
 * @param chunks the number of chunks that hold at least one of those bytes
 */
public record ManifestFile(Path path, Digest digest, long objects, long bytes, long chunks) {

    /** Returns the key of this manifest in Forebay's own bucket. */
    public String key() {
        return key(digest);
    }

    /** Returns the key, in Forebay's own bucket, of the manifest with this digest. */
    public static String key(Digest digest) {
        return "manifests/" + digest.hex() + ".sqlite";
    }

    /**
     * Returns the reference to this manifest once it is stored in {@code bucket} under {@link
     * #key()}.
     */
    public ManifestRef ref(String bucket) {
        return new ManifestRef("s3://" + bucket + "/" + key(), digest, objects, bytes, chunks);
    }

    /**
     * Returns the SHA-256 of any file.
     *
     * @throws ForebayException with {@code INTERNAL} if it cannot be read
     */
    public static Digest digestOf(Path file) {
        try {
            return Digests.of(file);
        } catch (IOException e) {
            throw new ForebayException(ErrorCode.INTERNAL, "cannot read " + file, e);
        }
    }
}
