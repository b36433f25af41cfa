package dev.forebay.devstack.erofs;

import java.io.IOException;

/** A system call failed with an errno. */
final class SyscallException extends IOException {

    // From include/uapi/asm-generic/errno-base.h and errno.h.
    static final int EPERM = 1;
    static final int ENOTBLK = 15;
    static final int ENOSYS = 38;

    private static final long serialVersionUID = 1;

    private final int errno;

    SyscallException(int call, int errno) {
        super("system call %d: errno %d".formatted(call, errno));
        this.errno = errno;
    }

    int errno() {
        return errno;
    }
}
