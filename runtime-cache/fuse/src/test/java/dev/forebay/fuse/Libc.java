package dev.forebay.fuse;

import static java.lang.foreign.ValueLayout.ADDRESS;
import static java.lang.foreign.ValueLayout.JAVA_INT;
import static java.lang.foreign.ValueLayout.JAVA_LONG;

import java.lang.foreign.Arena;
import java.lang.foreign.FunctionDescriptor;
import java.lang.foreign.Linker;
import java.lang.foreign.MemoryLayout;
import java.lang.foreign.MemorySegment;
import java.lang.invoke.MethodHandle;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;

/** Calls functions of the C library by name, to use flags and error numbers that Java hides. */
final class Libc {

    /** The outcome of a call: its result, or -1 and the error number. */
    record Answer(long result, int errno) {

        static Answer error(int errno) {
            return new Answer(-1, errno);
        }
    }

    static final int ENOENT = 2;
    static final int EIO = 5;
    static final int EBADF = 9;
    static final int EAGAIN = 11;
    static final int EACCES = 13;
    static final int EEXIST = 17;
    static final int EXDEV = 18;
    static final int ENOTDIR = 20;
    static final int EISDIR = 21;
    static final int EINVAL = 22;
    static final int EROFS = 30;
    static final int ERANGE = 34;
    static final int ENAMETOOLONG = 36;
    static final int ENODATA = 61;

    private static final boolean AARCH64 = System.getProperty("os.arch").equals("aarch64");
    static final int O_RDONLY = 0;
    static final int O_WRONLY = 1;
    static final int O_RDWR = 2;
    static final int O_CREAT = 0100;
    static final int O_EXCL = 0200;
    static final int O_TRUNC = 01000;
    static final int O_APPEND = 02000;
    static final int O_DIRECT = AARCH64 ? 0200000 : 040000;
    static final int O_DIRECTORY = AARCH64 ? 040000 : 0200000;
    static final int O_NOFOLLOW = AARCH64 ? 0100000 : 0400000;
    static final int O_NOATIME = 01000000;
    static final int O_PATH = 010000000;
    static final int O_TMPFILE = 020000000 | O_DIRECTORY;
    static final int AT_FDCWD = -100;

    /** The index of the first variadic parameter. */
    private static final Map<String, Integer> VARIADIC =
            Map.of("open", 2, "openat", 3, "fcntl", 2, "ioctl", 2);

    /** The functions whose result is as wide as a pointer. */
    private static final Set<String> WIDE =
            Set.of(
                    "read",
                    "pread",
                    "readv",
                    "preadv",
                    "write",
                    "lseek",
                    "mmap",
                    "getxattr",
                    "listxattr",
                    "readlink",
                    "sendfile",
                    "splice",
                    "copy_file_range",
                    "fdopendir",
                    "readdir",
                    "telldir");

    private static final Linker LINKER = Linker.nativeLinker();
    private static final MemoryLayout STATE = Linker.Option.captureStateLayout();
    private static final long ERRNO =
            STATE.byteOffset(MemoryLayout.PathElement.groupElement("errno"));
    private static final Map<String, MethodHandle> HANDLES = new ConcurrentHashMap<>();

    private Libc() {}

    /**
     * Calls a function.
     *
     * @param arguments each an int, a long, a {@link MemorySegment}, or a text or path, which is
     *     passed as a C string
     */
    static Answer call(String function, Object... arguments) {
        try (Arena arena = Arena.ofConfined()) {
            MemorySegment state = arena.allocate(STATE);
            List<Object> passed = new ArrayList<>(List.of(state));
            for (Object argument : arguments) {
                passed.add(
                        argument instanceof String || argument instanceof Path
                                ? arena.allocateFrom(argument.toString())
                                : argument);
            }
            MemoryLayout[] layouts =
                    Arrays.stream(arguments).map(Libc::layout).toArray(MemoryLayout[]::new);
            MethodHandle handle =
                    HANDLES.computeIfAbsent(
                            function + Arrays.toString(layouts), _ -> handle(function, layouts));
            long raw = (long) handle.invokeWithArguments(passed);
            long result = WIDE.contains(function) ? raw : (int) raw;
            return new Answer(result, result == -1 ? state.get(JAVA_INT, ERRNO) : 0);
        } catch (Throwable e) {
            throw new AssertionError(function, e);
        }
    }

    private static MemoryLayout layout(Object argument) {
        return switch (argument) {
            case Integer _ -> JAVA_INT;
            case Long _ -> JAVA_LONG;
            default -> ADDRESS;
        };
    }

    private static MethodHandle handle(String function, MemoryLayout[] layouts) {
        List<Linker.Option> options =
                new ArrayList<>(List.of(Linker.Option.captureCallState("errno")));
        Integer variadic = VARIADIC.get(function);
        if (variadic != null && variadic < layouts.length) {
            options.add(Linker.Option.firstVariadicArg(variadic));
        }
        return LINKER.downcallHandle(
                LINKER.defaultLookup().findOrThrow(function),
                FunctionDescriptor.of(JAVA_LONG, layouts),
                options.toArray(Linker.Option[]::new));
    }
}
