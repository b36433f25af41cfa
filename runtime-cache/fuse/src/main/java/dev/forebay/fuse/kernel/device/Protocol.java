package dev.forebay.fuse.kernel.device;

import dev.forebay.fuse.kernel.protocol.InitFlags;

/**
 * The result of the negotiation with the kernel, valid for the lifetime of a mount.
 *
 * @param minor the version, 7.minor
 * @param flags see {@link InitFlags}
 * @param maxRequestBytes the maximum size of a READ
 */
public record Protocol(int minor, long flags, int maxRequestBytes) {

    static final int MAJOR = 7;

    /** The newest version that this code knows; later versions change nothing for it. */
    public static final int NEWEST_MINOR = 45;

    /** Linux 5.4; earlier versions have other layouts of some messages. */
    static final int OLDEST_MINOR = 31;

    /** Returns whether the kernel can resend requests that a dead process had read. */
    public boolean resends() {
        return (flags & InitFlags.HAS_RESEND) != 0;
    }
}
