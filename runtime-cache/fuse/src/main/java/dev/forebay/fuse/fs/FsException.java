package dev.forebay.fuse.fs;

/** An error number that is a normal answer to a program, such as ENOENT. */
public final class FsException extends RuntimeException {

    private final Errno errno;

    public FsException(Errno errno, String message) {
        // Programs often look up files that do not exist: a stack trace would cost more than the
        // answer.
        super(errno + ": " + message, null, false, false);
        this.errno = errno;
    }

    public Errno errno() {
        return errno;
    }
}
