package dev.forebay.fuse;

import dev.forebay.linux.ErrorNumber;
import java.io.IOException;
import java.util.Locale;

/** Why a pod serves without its node cache. */
enum CacheOff {
    /** The pod finds more packs than it may have files open. */
    DESCRIPTORS,
    /** The cache's directory cannot be used. */
    DISK;

    static CacheOff because(Throwable failure) {
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
