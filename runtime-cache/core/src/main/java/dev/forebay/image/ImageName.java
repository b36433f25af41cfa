package dev.forebay.image;

import dev.forebay.model.DatasetVersion;
import dev.forebay.model.Digest;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.HexFormat;

/**
 * Identifies an image by everything that determines its bytes: the manifest, the version's name,
 * which is an extended attribute, and the format of this release.
 *
 * @param manifest the digest of the manifest's file
 */
public record ImageName(DatasetVersion version, Digest manifest) {

    /** Must change whenever a release writes other bytes for the same manifest. */
    static final int FORMAT = 1;

    private static final int LABEL_BYTES = 16;

    /** Returns the file name of this image: {@code <64 hex characters>.erofs}. */
    public String fileName() {
        return hash() + ".erofs";
    }

    /** Returns the beginning of the hash as a UUID of version 8 ("custom", RFC 9562). */
    byte[] uuid() {
        ByteBuffer uuid = ByteBuffer.allocate(16).put(HexFormat.of().parseHex(hash().hex()), 0, 16);
        uuid.put(6, (byte) ((uuid.get(6) & 0x0f) | 0x80));
        uuid.put(8, (byte) ((uuid.get(8) & 0x3f) | 0x80));
        return uuid.array();
    }

    /** Returns the volume label that {@code blkid} shows: {@code fb-} and the manifest. */
    byte[] label() {
        byte[] text = ("fb-" + manifest.abbreviated()).getBytes(StandardCharsets.US_ASCII);
        return ByteBuffer.allocate(LABEL_BYTES).put(text).array();
    }

    /** Returns the SHA-256 of everything that determines the image's bytes. */
    Digest hash() {
        String text = "forebay image %d\0%s\0%s".formatted(FORMAT, manifest.hex(), version);
        return Digest.of(text.getBytes(StandardCharsets.UTF_8));
    }
}
