package dev.forebay.fuse.jnr;

import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import java.util.OptionalInt;
import jnr.ffi.LastError;
import jnr.ffi.LibraryLoader;
import jnr.ffi.Runtime;

/** Detaches a FUSE mount, alive or dead, without waiting for open files. */
public final class Unmount {

    /** The setuid helpers that unmount for unprivileged users; one is enough. */
    private static final List<String> HELPERS = List.of("fusermount3", "fusermount");

    private Unmount() {}

    /**
     * Unmounts. Returns the error number if that is refused, or empty if nothing is mounted any
     * more.
     */
    public static OptionalInt detach(Path mountpoint) {
        LibC libc = LibraryLoader.create(LibC.class).load("c");
        if (libc.umount2(mountpoint.toString(), LibC.MNT_DETACH) == 0) {
            return OptionalInt.empty();
        }
        int errno = LastError.getLastError(Runtime.getRuntime(libc));
        if (errno == LibC.EINVAL
                || (errno == LibC.EPERM
                        && HELPERS.stream().anyMatch(helper -> helped(helper, mountpoint)))) {
            return OptionalInt.empty();
        }
        return OptionalInt.of(errno);
    }

    private static boolean helped(String helper, Path mountpoint) {
        try {
            Process process =
                    new ProcessBuilder(helper, "-u", "-z", mountpoint.toString())
                            .redirectErrorStream(true)
                            .redirectOutput(ProcessBuilder.Redirect.DISCARD)
                            .start();
            return process.waitFor() == 0;
        } catch (IOException notInstalled) {
            return false;
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            return false;
        }
    }
}
