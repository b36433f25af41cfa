package dev.forebay.fuse.linux;

import dev.forebay.linux.CLibrary;
import dev.forebay.linux.CallState;
import dev.forebay.linux.Descriptor;
import dev.forebay.linux.DiskFile;
import dev.forebay.linux.ErrorNumber;
import dev.forebay.linux.SystemCallException;
import java.io.IOException;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.FutureTask;
import org.jspecify.annotations.Nullable;

/**
 * Makes system calls that access a file system which this process itself may serve.
 *
 * <p>A thread that waits for a FUSE server's answer ignores signals once the server has taken the
 * request ({@code request_wait_answer} in Linux's {@code fs/fuse/dev.c}). Suppose that the server
 * is the same process, and is killed. The thread would stay, with every descriptor of the process.
 * The open device would make the kernel wait for the answer. The open connection to the holder
 * would hide the death from it. The process would never end.
 *
 * <p>Therefore a thread with its own descriptor table, without devices and connections, makes these
 * calls. When the process is killed, the descriptors of its other threads close. The request then
 * fails or a successor answers it, and the thread ends.
 */
public final class IsolatedThread {

    /** The calls to make. The descriptors that they open belong to this thread only. */
    @FunctionalInterface
    public interface Calls {
        void make() throws SystemCallException;
    }

    /** {@code close_range} and its flag, see close_range(2); since Linux 5.9. */
    private static final long CLOSE_RANGE = 436;

    private static final long UNSHARE = 2;
    private static final long NONE = 0xFFFF_FFFFL;

    private static final Path OWN = Path.of("/proc/thread-self/fd");
    private static final String DEVICE = "/fuse";
    private static final String CONNECTION = "socket:";

    /**
     * Loaded before the thread needs them: the JAR may be opened after the thread got its own
     * table, and its descriptor would be missing there.
     */
    private static final List<Class<?>> NEEDED =
            List.of(
                    CLibrary.class,
                    CallState.class,
                    Descriptor.class,
                    DetachedMount.class,
                    DiskFile.class,
                    ErrorNumber.class,
                    MountGenerations.class,
                    MountCalls.class,
                    OwnMounts.class,
                    SystemCall.class,
                    SystemCallException.class);

    static {
        try {
            for (Class<?> each : NEEDED) {
                Class<?> _ = Class.forName(each.getName());
            }
        } catch (ClassNotFoundException e) {
            throw new AssertionError(e);
        }
    }

    private IsolatedThread() {}

    /**
     * Makes calls and waits until they are made.
     *
     * @throws SystemCallException from the calls
     */
    public static void run(Calls calls) throws SystemCallException {
        FutureTask<@Nullable SystemCallException> task =
                new FutureTask<>(
                        () -> {
                            try {
                                isolate();
                                calls.make();
                                return null;
                            } catch (SystemCallException e) {
                                return e;
                            }
                        });
        Thread.ofPlatform().daemon().name("isolated").start(task);
        SystemCallException failure = awaited(task);
        if (failure != null) {
            throw failure;
        }
    }

    private static void isolate() throws IOException {
        SystemCall.make("close_range", CLOSE_RANGE, NONE, NONE, UNSHARE);
        try (DirectoryStream<Path> descriptors = Files.newDirectoryStream(OWN)) {
            for (Path each : descriptors) {
                if (isForOthers(each)) {
                    Descriptor.of(Integer.parseInt(each.getFileName().toString())).close();
                }
            }
        }
    }

    private static boolean isForOthers(Path descriptor) throws IOException {
        try {
            String what = Files.readSymbolicLink(descriptor).toString();
            return what.endsWith(DEVICE) || what.startsWith(CONNECTION);
        } catch (NoSuchFileException e) {
            return false;
        }
    }

    private static <T extends @Nullable Object> T awaited(FutureTask<T> task) {
        boolean interrupted = false;
        try {
            while (true) {
                try {
                    return task.get();
                } catch (InterruptedException e) {
                    // The thread cannot undo what it has begun.
                    interrupted = true;
                } catch (ExecutionException e) {
                    throw new IllegalStateException("a defect", e.getCause());
                }
            }
        } finally {
            if (interrupted) {
                Thread.currentThread().interrupt();
            }
        }
    }
}
