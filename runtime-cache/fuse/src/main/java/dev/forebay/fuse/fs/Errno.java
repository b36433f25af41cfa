package dev.forebay.fuse.fs;

import dev.forebay.model.ErrorCode;

/** The error numbers that this file system returns, with their values on Linux. */
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

    /** Returns the positive error number. */
    public int number() {
        return number;
    }

    /**
     * Maps an error code to the error number that a program sees. This is the only such mapping.
     *
     * <p>Every failure to serve bytes or names is EIO. NOT_FOUND is EIO too: the manifest says
     * which names exist, so a worker that does not find one is wrong.
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
