package dev.forebay.fuse.linux;

import static java.lang.foreign.ValueLayout.JAVA_INT;

import dev.forebay.linux.CLibrary;
import dev.forebay.linux.CallState;
import dev.forebay.linux.SystemCallException;
import java.io.IOException;
import java.lang.foreign.FunctionDescriptor;
import java.lang.invoke.MethodHandle;
import java.nio.file.Path;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.FutureTask;

/**
 * Makes calls in a mount namespace of their own, a copy of the process's that goes when they are
 * made: what they take off stays where it is for everybody else. Calls that wait hold up nobody:
 * what others unmount goes from the copy, too. Needs CAP_SYS_ADMIN.
 */
final class OwnMounts {

    /** The calls to make. A descriptor that they open is the process's. */
    @FunctionalInterface
    interface Calls<T> {
        T make() throws IOException;
    }

    private static final int CLONE_NEWNS = 0x20000;
    private static final Path ROOT = Path.of("/");

    private static final MethodHandle UNSHARE =
            CLibrary.function("unshare", FunctionDescriptor.of(JAVA_INT, JAVA_INT));

    private OwnMounts() {}

    /**
     * Makes calls and waits until they are made.
     *
     * @param tree what is mounted there, and below, nobody else changes while they are made
     * @throws IOException of the calls, or EPERM
     */
    static <T> T call(Path tree, Calls<T> calls) throws IOException {
        FutureTask<T> task =
                new FutureTask<>(
                        () -> {
                            leave(tree);
                            return calls.make();
                        });
        // The namespace is the thread's, so the thread is nobody else's.
        Thread.ofPlatform().daemon().name("own-mounts").start(task);
        boolean interrupted = false;
        try {
            while (true) {
                try {
                    return task.get();
                } catch (InterruptedException e) {
                    // What it has opened would be lost.
                    interrupted = true;
                }
            }
        } catch (ExecutionException e) {
            if (e.getCause() instanceof IOException failure) {
                throw failure;
            }
            throw new IllegalStateException("a defect", e.getCause());
        } finally {
            if (interrupted) {
                Thread.currentThread().interrupt();
            }
        }
    }

    private static void leave(Path tree) throws SystemCallException {
        CallState state = new CallState();
        int result;
        try {
            result = (int) UNSHARE.invokeExact(state.segment(), CLONE_NEWNS);
        } catch (Throwable e) {
            throw CLibrary.impossible(e);
        }
        if (result < 0) {
            throw state.failed("unshare the mounts");
        }
        MountCalls.mount("", ROOT, "", MountCalls.MS_REC | MountCalls.MS_SLAVE, "");
        MountCalls.mount("", tree, "", MountCalls.MS_REC | MountCalls.MS_PRIVATE, "");
    }
}
