package dev.forebay.fuse.kernel;

import dev.forebay.fuse.kernel.protocol.InitFlags;

/**
 * What was agreed with the kernel when a mount was made, and holds as long as it lives.
 *
 * @param minor the version, 7.minor
 * @param flags see {@link InitFlags}
 * @param maxRequestBytes the most that a READ asks for
 */
public record Protocol(int minor, long flags, int maxRequestBytes) {

    static final int MAJOR = 7;

    /** The newest that we know; what is newer changes nothing for us. */
    static final int NEWEST_MINOR = 45;

    /** Linux 5.4; before, the layouts of some messages differ. */
    static final int OLDEST_MINOR = 31;

    /** Whether requests that a dead process had read can be asked for again. */
    public boolean resends() {
        return (flags & InitFlags.HAS_RESEND) != 0;
    }
}
