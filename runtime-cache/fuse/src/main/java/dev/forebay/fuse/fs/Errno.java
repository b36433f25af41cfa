package dev.forebay.fuse.fs;

import dev.forebay.model.ErrorCode;

/** The error numbers this file system gives, with Linux's values. */
public enum Errno {
    ENOENT(2),
    EIO(5),
    ENXIO(6),
    EBADF(9),
    EACCES(13),
    ENOTDIR(20),
    EISDIR(21),
    EINVAL(22),
    ENFILE(23),
    EROFS(30),
    ERANGE(34),
    ENAMETOOLONG(36),
    ENOSYS(38),
    ENODATA(61);

    private final int number;

    Errno(int number) {
        this.number = number;
    }

    /** The positive number. */
    public int number() {
        return number;
    }

    /**
     * What a program sees of a failure: the one mapping from codes to error numbers.
     *
     * <p>All that keeps bytes or names from being served is EIO. Not even NOT_FOUND is ENOENT: the
     * names that exist are known from the manifest, so a worker that does not find something is in
     * the wrong.
     */
    public static Errno of(ErrorCode code) {
        return switch (code) {
            case INVALID_ARGUMENT -> EINVAL;
            case NOT_FOUND,
                    ALREADY_EXISTS,
                    PINNED,
                    EVICTING,
                    UNKNOWN_REGION,
                    LAKE_EMPTY,
                    INVALID_KEY,
                    LAKE_OBJECT_CHANGED,
                    LAKE_DENIED,
                    LAKE_UNAVAILABLE,
                    LAKE_UNSUPPORTED,
                    CORRUPT,
                    CAPACITY_EXCEEDED,
                    TOO_LARGE,
                    BUDGET_SPENT,
                    CANCELLED,
                    UNAVAILABLE,
                    DEADLINE_EXCEEDED,
                    DENIED,
                    INTERNAL ->
                    EIO;
        };
    }
}
