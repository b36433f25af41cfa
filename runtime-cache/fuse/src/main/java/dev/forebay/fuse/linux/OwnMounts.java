package dev.forebay.fuse.linux;

import static java.lang.foreign.ValueLayout.JAVA_INT;

import dev.forebay.linux.CLibrary;
import dev.forebay.linux.CallState;
import dev.forebay.linux.Descriptor;
import dev.forebay.linux.SystemCallException;
import java.io.IOException;
import java.lang.foreign.FunctionDescriptor;
import java.lang.invoke.MethodHandle;
import java.nio.file.Path;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.FutureTask;

/**
 * Gives a thread its own mount namespace, a copy of the process's that disappears when the thread
 * ends. Mounts that the thread detaches stay attached for all other threads. A blocked thread
 * delays no unmount: mounts that others detach disappear from the copy too. Requires CAP_SYS_ADMIN.
 */
final class OwnMounts {

    /** The calls to make. Descriptors that they open belong to the process. */
    @FunctionalInterface
    interface Calls<T> {
        T make() throws IOException;
    }

    static final Path ROOT = Path.of("/");

    private static final int CLONE_NEWNS = 0x20000;
    private static final Path OF_THREAD = Path.of("/proc/thread-self/ns/mnt");

    private static final MethodHandle UNSHARE =
            CLibrary.function("unshare", FunctionDescriptor.of(JAVA_INT, JAVA_INT));
    private static final MethodHandle SETNS =
            CLibrary.function("setns", FunctionDescriptor.of(JAVA_INT, JAVA_INT, JAVA_INT));
    private static final MethodHandle FCHDIR =
            CLibrary.function("fchdir", FunctionDescriptor.of(JAVA_INT, JAVA_INT));

    private OwnMounts() {}

    /**
     * Makes calls in their own mount namespace and waits until they are made.
     *
     * @param tree a mount point; no other thread may change the mounts there and below during the
     *     calls
     * @throws IOException from the calls, or EPERM
     */
    static <T> T call(Path tree, Calls<T> calls) throws IOException {
        FutureTask<T> task =
                new FutureTask<>(
                        () -> {
                            leave(tree);
                            return calls.make();
                        });
        // The namespace belongs to the thread, so the thread must not be shared.
        Thread.ofPlatform().daemon().name("own-mounts").start(task);
        boolean interrupted = false;
        try {
            while (true) {
                try {
                    return task.get();
                } catch (InterruptedException e) {
                    // Descriptors that the thread has opened would be lost.
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

    /**
     * Gives this thread a namespace whose mounts and unmounts no other thread sees.
     *
     * @param tree see {@link #call}
     */
    static void leave(Path tree) throws SystemCallException {
        copy();
        MountCalls.propagate(ROOT, MountCalls.MS_REC | MountCalls.MS_SLAVE);
        MountCalls.propagate(tree, MountCalls.MS_REC | MountCalls.MS_PRIVATE);
    }

    /** Gives this thread a namespace with the same propagation as the process's. */
    static void copy() throws SystemCallException {
        CallState state = new CallState();
        state.check(CLibrary.call(UNSHARE, state, CLONE_NEWNS), "unshare", "the mounts");
    }

    /** Opens the namespace of this thread, for {@link #enter}. */
    static Descriptor current() throws SystemCallException {
        return Descriptor.open(OF_THREAD, Descriptor.O_RDONLY);
    }

    /**
     * Moves a thread with its own namespace into another one. Requires CAP_SYS_CHROOT too.
     *
     * @param directory a directory of that namespace, which becomes the working directory: the root
     *     that the thread gets may differ from the process's root
     */
    static void enter(Descriptor namespace, Descriptor directory) throws SystemCallException {
        CallState state = new CallState();
        int result = CLibrary.call(SETNS, state, namespace.number(), CLONE_NEWNS);
        state.check(result, "enter", "a mount namespace");
        work(directory);
    }

    /** Makes a directory the working directory of a thread that has its own namespace. */
    static void work(Descriptor directory) throws SystemCallException {
        CallState state = new CallState();
        state.check(
                CLibrary.call(FCHDIR, state, directory.number()),
                "change",
                "the working directory");
    }
}
