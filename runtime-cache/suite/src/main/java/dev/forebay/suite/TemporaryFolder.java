package dev.forebay.suite;

import dev.forebay.devstack.stack.Leftovers;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Comparator;
import java.util.List;
import java.util.function.Consumer;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;

/**
 * Where a run has its temporary files. Not in the clone: the path must be short, for tests put
 * sockets there. It names its process, so the next run removes what one that was killed has left.
 */
final class TemporaryFolder {

    /** Short, for Linux mounts no image whose path has more than 255 bytes. */
    private static final String PREFIX = "suite-";

    private static final Pattern NAME = Pattern.compile(PREFIX + "([0-9]{1,18})-[0-9]+");

    private TemporaryFolder() {}

    /**
     * Makes one, and removes those of runs that are no more.
     *
     * @param shared where all have theirs
     * @param said receives a line for each mount or device that is removed
     */
    static Path make(Path shared, Consumer<String> said) throws IOException {
        try (DirectoryStream<Path> all = Files.newDirectoryStream(shared, PREFIX + "*")) {
            for (Path each : all) {
                if (isAbandoned(each)) {
                    remove(each, said);
                }
            }
        }
        return Files.createTempDirectory(shared, PREFIX + ProcessHandle.current().pid() + "-");
    }

    private static boolean isAbandoned(Path folder) {
        Matcher name = NAME.matcher(folder.getFileName().toString());
        // One of another user is for that one to remove.
        return name.matches()
                && ProcessHandle.of(Long.parseLong(name.group(1))).isEmpty()
                && Files.isWritable(folder);
    }

    /** Removes one with what is mounted below it, and ends the stacks that are there. */
    static void remove(Path folder, Consumer<String> said) {
        endStacksBelow(folder);
        Leftovers.cleanUp(List.of(folder)).forEach(said);
        try (Stream<Path> below = Files.walk(folder)) {
            for (Path path : below.sorted(Comparator.reverseOrder()).toList()) {
                Files.deleteIfExists(path);
            }
        } catch (IOException | UncheckedIOException e) {
            said.accept("Could not remove %s: %s".formatted(folder, e.getMessage()));
        }
    }

    /** A stack that a test brought up outlives its JVM; its command lines name its directory. */
    private static void endStacksBelow(Path folder) {
        ProcessHandle.allProcesses()
                .filter(
                        process ->
                                process.info()
                                        .commandLine()
                                        .filter(line -> line.contains(folder.toString()))
                                        .isPresent())
                .forEach(ProcessHandle::destroyForcibly);
    }
}
