package dev.forebay.image;

import java.nio.charset.StandardCharsets;
import java.util.Set;

/**
 * The extended attributes that name what is behind a path, each {@code user.forebay.…}.
 *
 * <p>A name is stored once, as a "long name prefix" that is the whole name (Linux 6.4); an
 * attribute refers to it by its number here.
 */
enum Attribute {
    VERSION(0, "version"),
    MANIFEST(1, "manifest"),
    KEY(2, "key"),
    ETAG(3, "etag"),
    VERSION_ID(4, "version-id");

    /** The kernel's number for {@code user.}, which is no part of a stored name. */
    static final int USER = 1;

    private static final int FILTER_SEED = 0x25BBE08F;
    private static final int LONG_PREFIX = 0x80;

    private final int number;
    private final String name;

    Attribute(int number, String name) {
        this.number = number;
        this.name = "forebay." + name;
    }

    /** Without {@code user.}. */
    byte[] storedName() {
        return name.getBytes(StandardCharsets.US_ASCII);
    }

    /** How an attribute's header refers to the name. */
    byte nameIndex() {
        return (byte) (LONG_PREFIX | number);
    }

    /**
     * Tells the kernel which attributes a node surely has not, so that it does not look: a bit is 0
     * if one of these names hashes to it (Linux 6.6, {@code h_name_filter}).
     */
    static int filter(Set<Attribute> present) {
        int filter = -1;
        for (Attribute attribute : present) {
            filter &= ~filterBit(USER, attribute.storedName());
        }
        return filter;
    }

    /**
     * @param prefix the kernel's number for the beginning of the name
     * @param name the rest of the name
     */
    static int filterBit(int prefix, byte[] name) {
        return 1 << XxHash32.hash(name, FILTER_SEED + prefix);
    }
}
