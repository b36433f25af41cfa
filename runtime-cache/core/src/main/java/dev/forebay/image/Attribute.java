package dev.forebay.image;

import java.nio.charset.StandardCharsets;

/** The extended attributes of files and directories, each {@code user.forebay.…}. */
enum Attribute {
    VERSION("version"),
    MANIFEST("manifest"),
    KEY("key"),
    ETAG("etag"),
    VERSION_ID("version-id");

    /** The kernel's number for the prefix {@code user.}, which is not part of a stored name. */
    static final byte USER = 1;

    private static final int FILTER_SEED = 0x25BBE08F;

    private final String name;

    Attribute(String name) {
        this.name = "forebay." + name;
    }

    /** Returns the name without {@code user.}. */
    byte[] storedName() {
        return name.getBytes(StandardCharsets.US_ASCII);
    }

    /**
     * Returns the filter that tells the kernel which attributes a node cannot have, so that it does
     * not search for them. A bit is 0 if one of these names hashes to it (Linux 6.6, {@code
     * h_name_filter}).
     */
    static int filter(Attribute... present) {
        int filter = -1;
        for (Attribute attribute : present) {
            filter &= ~filterBit(USER, attribute.storedName());
        }
        return filter;
    }

    /**
     * @param prefix the kernel's number for the prefix of the name
     * @param name the rest of the name
     */
    static int filterBit(int prefix, byte[] name) {
        return 1 << XxHash32.hash(name, FILTER_SEED + prefix);
    }
}
