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
import java.lang.invoke.MethodHandle;
import java.nio.file.Path;

/** mount(2) and umount2(2). */
public final class MountCalls {

    public static final long MS_RDONLY = 1;
    public static final long MS_NOSUID = 2;
    public static final long MS_NODEV = 4;
    static final long MS_REC = 1 << 14;
    static final long MS_PRIVATE = 1 << 18;
    static final long MS_SLAVE = 1 << 19;

    private static final int MNT_DETACH = 2;

    private static final MethodHandle MOUNT =
            CLibrary.function(
                    "mount",
                    FunctionDescriptor.of(JAVA_INT, ADDRESS, ADDRESS, ADDRESS, JAVA_LONG, ADDRESS));
    private static final MethodHandle UMOUNT2 =
            CLibrary.function("umount2", FunctionDescriptor.of(JAVA_INT, ADDRESS, JAVA_INT));

    private MountCalls() {}

    /** Mounts; needs CAP_SYS_ADMIN. */
    public static void mount(String source, Path target, String type, long flags, String data)
            throws SystemCallException {
        CallState state = new CallState();
        int result;
        try (Arena arena = Arena.ofConfined()) {
            result =
                    (int)
                            MOUNT.invokeExact(
                                    state.segment(),
                                    CLibrary.text(arena, source),
                                    CLibrary.text(arena, target),
                                    CLibrary.text(arena, type),
                                    flags,
                                    CLibrary.text(arena, data));
        } catch (Throwable e) {
            throw CLibrary.impossible(e);
        }
        if (result < 0) {
            throw state.failed("mount " + target);
        }
    }

    /**
     * Takes a mount off the tree, alive or dead, without waiting for open files; nothing if there
     * is none.
     */
    public static void detach(Path target) throws SystemCallException {
        CallState state = new CallState();
        int result;
        try (Arena arena = Arena.ofConfined()) {
            result =
                    (int)
                            UMOUNT2.invokeExact(
                                    state.segment(), CLibrary.text(arena, target), MNT_DETACH);
        } catch (Throwable e) {
            throw CLibrary.impossible(e);
        }
        if (result < 0 && state.errno() != ErrorNumber.EINVAL) {
            throw state.failed("unmount " + target);
        }
    }
}
