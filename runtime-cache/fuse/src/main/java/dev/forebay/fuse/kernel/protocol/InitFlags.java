package dev.forebay.fuse.kernel.protocol;

/**
 * What a kernel offers and a file system takes of it: {@code FUSE_…} flags of INIT, the second word
 * in the upper half.
 *
 * <p>Never taken: {@code REQUEST_TIMEOUT} (bit 42), which aborts a mount whose daemon is being
 * replaced; {@code EXPORT_SUPPORT} (bit 4), which wants names for {@code .} and {@code ..}; {@code
 * CACHE_SYMLINKS} (bit 23), as there are none; and whatever has to do with writing.
 */
public final class InitFlags {

    /** Several reads of a file at a time. */
    public static final long ASYNC_READ = 1L;

    /** READDIRPLUS, which spares a LOOKUP for each entry. */
    public static final long DO_READDIRPLUS = 1L << 13;

    /** READDIRPLUS only when somebody asks for attributes. */
    public static final long READDIRPLUS_AUTO = 1L << 14;

    /** Several direct reads at a time. */
    public static final long ASYNC_DIO = 1L << 15;

    /** Several look-ups and listings in one directory at a time. */
    public static final long PARALLEL_DIROPS = 1L << 18;

    /** The reply says how many pages a request may have (7.28). */
    public static final long MAX_PAGES = 1L << 22;

    /** There is a second word of flags (7.36). */
    public static final long INIT_EXT = 1L << 30;

    /** Requests can be asked for again (7.40). */
    public static final long HAS_RESEND = 1L << 39;

    /** What this file system takes, if it is offered. */
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
