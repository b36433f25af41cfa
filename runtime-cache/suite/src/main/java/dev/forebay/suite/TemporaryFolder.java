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
 * The folder for the temporary files of a run. It is not in the clone, because tests put sockets
 * there, whose paths must be short. Its name has the process id, so the next run can remove the
 * folder of a killed run.
 */
final class TemporaryFolder {

    /** A short name: Linux mounts no image whose path has more than 255 bytes. */
    private static final String PREFIX = "suite-";

    private static final Pattern NAME = Pattern.compile(PREFIX + "([0-9]{1,18})-[0-9]+");

    private TemporaryFolder() {}

    /**
     * Creates a folder, and removes the folders of runs whose processes have ended.
     *
     * @param shared the parent of all such folders
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
        // Another user must remove folders that this user cannot write.
        return name.matches()
                && ProcessHandle.of(Long.parseLong(name.group(1))).isEmpty()
                && Files.isWritable(folder);
    }

    /**
     * Removes a folder with all mounts below it, and ends the stacks that use it.
     *
     * @param grace how long processes have to end by themselves
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

    /**
     * Ends stacks that tests started. A stack outlives its test JVM, and its command lines contain
     * the directory.
     */
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
