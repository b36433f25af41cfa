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
 * Gives a thread a mount namespace of its own, a copy of the process's that goes when the thread
 * ends: what the thread takes off stays where it is for everybody else. A thread that waits there
 * holds up nobody: what others unmount goes from the copy, too. Needs CAP_SYS_ADMIN.
 */
final class OwnMounts {

    /** The calls to make. A descriptor that they open is the process's. */
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
     * Makes calls in a namespace of their own and waits until they are made.
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

    /**
     * Gives this thread a namespace in which nobody sees what it mounts and takes off.
     *
     * @param tree as of {@link #call}
     */
    static void leave(Path tree) throws SystemCallException {
        copy();
        MountCalls.propagate(ROOT, MountCalls.MS_REC | MountCalls.MS_SLAVE);
        MountCalls.propagate(tree, MountCalls.MS_REC | MountCalls.MS_PRIVATE);
    }

    /** Gives this thread a namespace that exchanges with others what the process's does. */
    static void copy() throws SystemCallException {
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
    }

    /** Opens the namespace that this thread is in, for {@link #enter}. */
    static Descriptor current() throws SystemCallException {
        return Descriptor.open(OF_THREAD, Descriptor.O_RDONLY);
    }

    /**
     * Brings a thread that has a namespace of its own into another one; needs CAP_SYS_CHROOT, too.
     *
     * @param directory of that namespace, which becomes the thread's working directory: the root
     *     that the thread gets need not be the process's
     */
    static void enter(Descriptor namespace, Descriptor directory) throws SystemCallException {
        CallState state = new CallState();
        int result;
        try {
            result = (int) SETNS.invokeExact(state.segment(), namespace.number(), CLONE_NEWNS);
        } catch (Throwable e) {
            throw CLibrary.impossible(e);
        }
        if (result < 0) {
            throw state.failed("enter a mount namespace");
        }
        work(directory);
    }

    /** Makes a directory the working directory of a thread that has a namespace of its own. */
    static void work(Descriptor directory) throws SystemCallException {
        CallState state = new CallState();
        int result;
        try {
            result = (int) FCHDIR.invokeExact(state.segment(), directory.number());
        } catch (Throwable e) {
            throw CLibrary.impossible(e);
        }
        if (result < 0) {
            throw state.failed("change the working directory");
        }
    }
}
