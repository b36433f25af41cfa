package dev.forebay.fuse;

import dev.forebay.linux.ErrorNumber;
import java.io.IOException;
import java.util.Locale;

/** The reasons why a pod serves without its node cache. */
enum NoCacheReason {
    /** The cache has more packs than this process may have open files. */
    DESCRIPTORS,
    /** The cache's directory is unusable. */
    DISK;

    static NoCacheReason because(Throwable failure) {
        for (Throwable at = failure; at != null; at = at.getCause()) {
            if (at instanceof IOException io && ErrorNumber.isOutOfDescriptors(io)) {
                return DESCRIPTORS;
            }
        }
        return DISK;
    }

    String tag() {
        return name().toLowerCase(Locale.ROOT);
    }
}
