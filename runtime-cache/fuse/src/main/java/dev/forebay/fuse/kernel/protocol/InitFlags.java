package dev.forebay.fuse.kernel.protocol;

/**
 * Features that a kernel offers and a file system accepts: the {@code FUSE_…} flags of INIT, with
 * the second word in the upper half.
 *
 * <p>Never accepted:
 *
 * <ul>
 *   <li>{@code REQUEST_TIMEOUT} (bit 42) aborts a mount while its daemon is being replaced.
 *   <li>{@code EXPORT_SUPPORT} (bit 4) requires lookups of {@code .} and {@code ..}.
 *   <li>{@code CACHE_SYMLINKS} (bit 23) has no use without links.
 *   <li>All features for writing.
 * </ul>
 */
public final class InitFlags {

    /** Permits several reads of a file at a time. */
    public static final long ASYNC_READ = 1L;

    /** READDIRPLUS, which saves a LOOKUP for each entry. */
    public static final long DO_READDIRPLUS = 1L << 13;

    /** READDIRPLUS only when a program asks for attributes. */
    public static final long READDIRPLUS_AUTO = 1L << 14;

    /** Permits several direct reads at a time. */
    public static final long ASYNC_DIO = 1L << 15;

    /** Permits several lookups and listings in one directory at a time. */
    public static final long PARALLEL_DIROPS = 1L << 18;

    /** The reply states the maximum number of pages of a request (7.28). */
    public static final long MAX_PAGES = 1L << 22;

    /** The message has a second word of flags (7.36). */
    public static final long INIT_EXT = 1L << 30;

    /** The kernel can resend requests (7.40). */
    public static final long HAS_RESEND = 1L << 39;

    /** The features that this file system accepts if they are offered. */
    public static final long WANTED =
            ASYNC_READ
                    | DO_READDIRPLUS
                    | READDIRPLUS_AUTO
                    | ASYNC_DIO
                    | PARALLEL_DIROPS
                    | MAX_PAGES
                    | INIT_EXT
                    | HAS_RESEND;

    private InitFlags() {}
}
