package dev.forebay.linux;

import java.io.IOException;

/** A system call failed. */
public final class SystemCallException extends IOException {

    private final int errno;

    /**
     * @param call what was called, and on what
     */
    public SystemCallException(String call, int errno) {
        super("%s: %s".formatted(call, CLibrary.textOf(errno)));
        this.errno = errno;
    }

    /** See {@link ErrorNumber}. */
    public int errno() {
        return errno;
    }
}
