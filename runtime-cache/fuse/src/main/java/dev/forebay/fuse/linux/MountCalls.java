package dev.forebay.fuse.linux;

import static java.lang.foreign.ValueLayout.ADDRESS;
import static java.lang.foreign.ValueLayout.JAVA_INT;
import static java.lang.foreign.ValueLayout.JAVA_LONG;

import dev.forebay.linux.CLibrary;
import dev.forebay.linux.CallState;
import dev.forebay.linux.ErrorNumber;
import dev.forebay.linux.SystemCallException;
import java.lang.foreign.Arena;
import java.lang.foreign.FunctionDescriptor;
import java.lang.foreign.MemorySegment;
import java.lang.invoke.MethodHandle;
import java.nio.file.Path;

/** mount(2) and umount2(2). */
public final class MountCalls {

    public static final long MS_RDONLY = 1;
    public static final long MS_NOSUID = 2;
    public static final long MS_NODEV = 4;
    static final long MS_REC = 1 << 14;
    static final long MS_UNBINDABLE = 1 << 17;
    static final long MS_PRIVATE = 1 << 18;
    static final long MS_SLAVE = 1 << 19;
    static final long MS_SHARED = 1 << 20;

    private static final int MNT_DETACH = 2;

    private static final MethodHandle MOUNT =
            CLibrary.function(
                    "mount",
                    FunctionDescriptor.of(JAVA_INT, ADDRESS, ADDRESS, ADDRESS, JAVA_LONG, ADDRESS));
    private static final MethodHandle UMOUNT2 =
            CLibrary.function("umount2", FunctionDescriptor.of(JAVA_INT, ADDRESS, JAVA_INT));

    private MountCalls() {}

    /** Mounts a file system. Requires CAP_SYS_ADMIN. */
    public static void mount(String source, Path target, String type, long flags, String data)
            throws SystemCallException {
        CallState state = new CallState();
        try (Arena arena = Arena.ofConfined()) {
            int result =
                    CLibrary.makeInt(
                            () ->
                                    (int)
                                            MOUNT.invokeExact(
                                                    state.segment(),
                                                    CLibrary.text(arena, source),
                                                    CLibrary.text(arena, target),
                                                    CLibrary.text(arena, type),
                                                    flags,
                                                    CLibrary.text(arena, data)));
            state.check(result, "mount", target);
        }
    }

    /** Changes the propagation type of a mount, and nothing else. */
    static void propagate(Path mount, long flags) throws SystemCallException {
        mount("", mount, "", flags, "");
    }

    /**
     * Detaches a mount, alive or dead, without waiting for open files. Does nothing if nothing is
     * mounted.
     */
    public static void detach(Path target) throws SystemCallException {
        CallState state = new CallState();
        if (unmount(target, MNT_DETACH, state) < 0 && state.errno() != ErrorNumber.EINVAL) {
            throw state.failed("unmount " + target);
        }
    }

    /**
     * Detaches the topmost mount at a directory if it is unused. It is in use if a process in any
     * mount namespace has a file or directory of it open, mapped, or as working directory.
     *
     * @return whether a mount was detached; false if there is none
     */
    static boolean detachIfUnused(Path target) throws SystemCallException {
        CallState state = new CallState();
        if (unmount(target, 0, state) >= 0) {
            return true;
        }
        return switch (state.errno()) {
            case ErrorNumber.EBUSY, ErrorNumber.EINVAL, ErrorNumber.ENOENT -> false;
            default -> throw state.failed("unmount " + target);
        };
    }

    private static int unmount(Path target, int flags, CallState state) {
        try (Arena arena = Arena.ofConfined()) {
            MemorySegment path = CLibrary.text(arena, target);
            return CLibrary.makeInt(() -> (int) UMOUNT2.invokeExact(state.segment(), path, flags));
        }
    }
}
