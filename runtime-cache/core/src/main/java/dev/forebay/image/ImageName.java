package dev.forebay.image;

import dev.forebay.model.DatasetVersion;
import dev.forebay.model.Digest;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.HexFormat;

/**
 * What an image's bytes depend on, and nothing else does: the manifest, the version's name (which
 * is an extended attribute), and how this version of Forebay writes images.
 *
 * @param manifest the digest of the manifest's file
 */
public record ImageName(DatasetVersion version, Digest manifest) {

    /** Changes with every change of what is written for the same manifest. */
    static final int FORMAT = 1;

    private static final int LABEL_BYTES = 16;

    /** The name of a file that holds this image and no other: {@code <64 hex characters>.erofs}. */
    public String fileName() {
        return HexFormat.of().formatHex(hash()) + ".erofs";
    }

    /** The beginning of the hash as a UUID of version 8, RFC 9562: "custom". */
    byte[] uuid() {
        ByteBuffer uuid = ByteBuffer.allocate(16).put(hash(), 0, 16);
        uuid.put(6, (byte) ((uuid.get(6) & 0x0f) | 0x80));
        uuid.put(8, (byte) ((uuid.get(8) & 0x3f) | 0x80));
        return uuid.array();
    }

    /** The volume's name, as {@code blkid} shows it: {@code fb-} and the manifest. */
    byte[] label() {
        byte[] text = ("fb-" + manifest.abbreviated()).getBytes(StandardCharsets.US_ASCII);
        return ByteBuffer.allocate(LABEL_BYTES).put(text).array();
    }

    private byte[] hash() {
        String text = "forebay image %d\0%s\0%s".formatted(FORMAT, manifest.hex(), version);
        try {
            return MessageDigest.getInstance("SHA-256")
                    .digest(text.getBytes(StandardCharsets.UTF_8));
        } catch (NoSuchAlgorithmException impossible) {
            throw new AssertionError("a Java platform without SHA-256", impossible);
        }
    }
}
