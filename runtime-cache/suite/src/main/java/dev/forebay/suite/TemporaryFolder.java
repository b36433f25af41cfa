package dev.forebay.suite;

import dev.forebay.devstack.stack.Leftovers;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
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
     * @param said receives a line for each process, mount or device that is removed
     */
    static Path make(Path shared, Consumer<String> said) throws IOException {
        try (DirectoryStream<Path> all = Files.newDirectoryStream(shared, PREFIX + "*")) {
            for (Path each : all) {
                if (isAbandoned(each)) {
                    remove(each, Duration.ZERO, said);
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

    /**
     * Removes one with what is mounted below it, and ends the stacks that are there.
     *
     * @param grace what processes have to end by themselves
     * @param said receives a line for each process, mount or device that is removed
     */
    static void remove(Path folder, Duration grace, Consumer<String> said) {
        endStacksBelow(folder, grace, said);
        Leftovers.cleanUp(List.of(folder)).forEach(said);
        try (Stream<Path> below = Files.walk(folder)) {
            for (Path path : below.sorted(Comparator.reverseOrder()).toList()) {
                Files.deleteIfExists(path);
            }
        } catch (IOException | UncheckedIOException e) {
            said.accept("could not remove %s: %s".formatted(folder, e.getMessage()));
        }
    }

    /** A stack that a test brought up outlives its JVM; its command lines name its directory. */
    private static void endStacksBelow(Path folder, Duration grace, Consumer<String> said) {
        long end = System.nanoTime() + grace.toNanos();
        for (ProcessHandle process : ProcessHandle.allProcesses().toList()) {
            Optional<String> line =
                    process.info().commandLine().filter(text -> text.contains(folder.toString()));
            if (line.isPresent() && !ends(process, end - System.nanoTime())) {
                process.destroyForcibly();
                said.accept("stopped process %d: %s".formatted(process.pid(), line.get()));
            }
        }
    }

    private static boolean ends(ProcessHandle process, long nanos) {
        try {
            process.onExit().get(nanos, TimeUnit.NANOSECONDS);
            return true;
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            return false;
        } catch (ExecutionException | TimeoutException e) {
            return false;
        }
    }
}
