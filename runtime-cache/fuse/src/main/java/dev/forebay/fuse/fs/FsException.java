package dev.forebay.fuse.fs;

/** An answer that is an error number and nothing out of the ordinary, such as ENOENT. */
public final class FsException extends RuntimeException {

    private final Errno errno;

    public FsException(Errno errno, String message) {
        // Programs look for files that are not there all day: a stack trace would cost more than
        // the answer.
        super(errno + ": " + message, null, false, false);
        this.errno = errno;
    }

    public Errno errno() {
        return errno;
    }
}
