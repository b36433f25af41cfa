package dev.forebay.fuse.linux;

import static java.lang.foreign.ValueLayout.ADDRESS;
import static java.lang.foreign.ValueLayout.JAVA_INT;

import java.io.IOException;
import java.lang.foreign.Arena;
import java.lang.foreign.FunctionDescriptor;
import java.lang.foreign.MemorySegment;
import java.lang.invoke.MethodHandle;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Collection;
import java.util.List;

/** The program that this process runs. */
public final class ProgramImage {

    private static final int FIRST_OF_OURS = 3;

    private static final MethodHandle EXECV =
            CLibrary.function("execv", FunctionDescriptor.of(JAVA_INT, ADDRESS, ADDRESS));

    private ProgramImage() {}

    /** The command line that this process was started with. */
    public static List<String> commandLine() throws IOException {
        String all = Files.readString(Path.of("/proc/self/cmdline"));
        return List.of(all.substring(0, Math.max(0, all.length() - 1)).split("\0", -1));
    }

    /**
     * Runs another program in the place of this one, under the same process id and with the same
     * environment. Returns only by throwing.
     *
     * @param command the program's path and its arguments
     * @param kept the descriptors that the program gets, besides the standard ones
     */
    public static void replace(List<String> command, Collection<Descriptor> kept)
            throws IOException {
        closeOnExec();
        for (Descriptor descriptor : kept) {
            descriptor.keepOnExec(true);
        }
        System.out.flush();
        System.err.flush();
        CallState state = new CallState();
        try (Arena arena = Arena.ofConfined()) {
            MemorySegment arguments = arena.allocate(ADDRESS, command.size() + 1L);
            for (int i = 0; i < command.size(); i++) {
                arguments.setAtIndex(ADDRESS, i, CLibrary.text(arena, command.get(i)));
            }
            int _ =
                    (int)
                            EXECV.invokeExact(
                                    state.segment,
                                    CLibrary.text(arena, command.getFirst()),
                                    arguments);
        } catch (Throwable e) {
            throw CLibrary.impossible(e);
        }
        throw state.failed("exec " + command.getFirst());
    }

    private static void closeOnExec() throws IOException {
        try (DirectoryStream<Path> open = Files.newDirectoryStream(Path.of("/proc/self/fd"))) {
            for (Path entry : open) {
                int number = Integer.parseInt(entry.getFileName().toString());
                if (number >= FIRST_OF_OURS) {
                    markForClosing(number);
                }
            }
        }
    }

    private static void markForClosing(int number) {
        try {
            Descriptor.of(number).keepOnExec(false);
        } catch (SystemCallException e) {
            // Another thread has closed it meanwhile, which is all we want.
        }
    }
}
