package dev.forebay.fuse.jnr;

/**
 * The functions of the C library that Java has no call for; public because jnr-ffi implements it.
 */
public interface LibC {

    /** Does not wait for open files: they are cut off when the last is closed. */
    int MNT_DETACH = 2;

    int EPERM = 1;
    int EINVAL = 22;

    /** See umount(2). */
    int umount2(String target, int flags);

    /** See geteuid(2). */
    int geteuid();

    /** See getegid(2). */
    int getegid();
}
