package dev.forebay.linux;

import java.io.IOException;
import java.util.Arrays;

/** Error numbers of system calls that Forebay handles specially. */
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

    /** Returns whether the disk or the user's quota has no space, for bytes or for files. */
    public static boolean isFullDisk(IOException failure) {
        return isOneOf(failure, ENOSPC, EDQUOT);
    }

    /** Returns whether the device or its file system has failed. */
    public static boolean isBrokenDisk(IOException failure) {
        return isOneOf(failure, EIO, ENXIO, ENODEV, EROFS, EUCLEAN);
    }

    /** Returns whether this process, or the machine, has too many open files. */
    public static boolean isOutOfDescriptors(IOException failure) {
        return isOneOf(failure, EMFILE, ENFILE);
    }

    /**
     * Returns whether a failure is one of these errors. Java's own file exceptions carry no number,
     * only the C library's text in the language of this process, so they are compared by text.
     */
    public static boolean isOneOf(IOException failure, int... errors) {
        if (failure instanceof SystemCallException call) {
            return Arrays.stream(errors).anyMatch(error -> error == call.errno());
        }
        String text = String.valueOf(failure.getMessage());
        return Arrays.stream(errors).mapToObj(CLibrary::textOf).anyMatch(text::contains);
    }
}
