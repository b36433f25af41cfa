package dev.forebay.linux;

import java.io.IOException;

/** Reports a failed system call with its error number. */
public final class SystemCallException extends IOException {

    private final int errno;

    /**
     * @param call the call and its target, such as {@code read /path}
     */
    public SystemCallException(String call, int errno) {
        super("%s: %s".formatted(call, CLibrary.textOf(errno)));
        this.errno = errno;
    }

    /** Returns the error number, see {@link ErrorNumber}. */
    public int errno() {
        return errno;
    }
}
