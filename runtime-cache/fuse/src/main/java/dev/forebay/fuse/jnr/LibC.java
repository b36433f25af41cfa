package dev.forebay.fuse.jnr;

/**
 * Functions of the C library that Java has no equivalent for; public because jnr-ffi implements it.
 */
public interface LibC {

    /** Detaches without waiting for open files: the mount ends when the last one is closed. */
    int MNT_DETACH = 2;

    int EPERM = 1;
    int EINVAL = 22;

    /** See umount2(2). */
    int umount2(String target, int flags);

    /** See geteuid(2). */
    int geteuid();

    /** See getegid(2). */
    int getegid();
}
