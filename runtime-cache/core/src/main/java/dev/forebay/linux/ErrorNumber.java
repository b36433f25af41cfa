package dev.forebay.linux;

import java.io.IOException;
import java.util.Arrays;

/** The error numbers of system calls that are more than a failure to us. */
public final class ErrorNumber {

    public static final int EPERM = 1;
    public static final int ENOENT = 2;
    public static final int EINTR = 4;
    public static final int EIO = 5;
    public static final int ENXIO = 6;
    public static final int EAGAIN = 11;
    public static final int ENOMEM = 12;
    public static final int EACCES = 13;
    public static final int ENOTBLK = 15;
    public static final int EBUSY = 16;
    public static final int ENODEV = 19;
    public static final int EINVAL = 22;
    public static final int ENFILE = 23;
    public static final int EMFILE = 24;
    public static final int EFBIG = 27;
    public static final int ENOSPC = 28;
    public static final int EROFS = 30;
    public static final int ENOSYS = 38;
    public static final int EBADMSG = 74;
    public static final int EOPNOTSUPP = 95;
    public static final int ECONNABORTED = 103;
    public static final int ENOTCONN = 107;
    public static final int EUCLEAN = 117;
    public static final int EDQUOT = 122;

    private ErrorNumber() {}

    /** Whether there was no room, for bytes or for files. */
    public static boolean isFullDisk(IOException failure) {
        return isOneOf(failure, ENOSPC, EDQUOT);
    }

    /** Whether the device or the file system cannot do what it should. */
    public static boolean isBrokenDisk(IOException failure) {
        return isOneOf(failure, EIO, ENXIO, ENODEV, EROFS, EUCLEAN);
    }

    /** Whether this process, or the machine, has too many files open. */
    public static boolean isOutOfDescriptors(IOException failure) {
        return isOneOf(failure, EMFILE, ENFILE);
    }

    /**
     * Whether a failure is one of these errors. Java's own exceptions for files do not have their
     * numbers: only what the C library calls them, in the language of this process.
     */
    public static boolean isOneOf(IOException failure, int... errors) {
        if (failure instanceof SystemCallException call) {
            return Arrays.stream(errors).anyMatch(error -> error == call.errno());
        }
        String text = String.valueOf(failure.getMessage());
        return Arrays.stream(errors).mapToObj(CLibrary::textOf).anyMatch(text::contains);
    }
}
