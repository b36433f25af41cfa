package dev.forebay.devstack.cli;

import dev.forebay.devstack.DevstackException;
import dev.forebay.devstack.stack.StackOnDisk;
import java.io.IOException;
import java.nio.channels.FileChannel;
import java.nio.channels.FileLock;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.function.Consumer;
import java.util.function.IntSupplier;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Option;

/** The option that selects the stack of a command. */
final class DataOption {
    @Option(
            names = "--data",
            paramLabel = "DIR",
            description =
                    "directory for all data of the stack (default: FOREBAY_DATA, or .devstack in "
                            + "the repository)")
    private @Nullable Path data;

    StackOnDisk stack() {
        return new StackOnDisk(data != null ? data : byDefault());
    }

    /** Runs an action while no other command starts or stops this stack, and returns its result. */
    static int alone(StackOnDisk stack, Consumer<String> progress, IntSupplier action) {
        try {
            Files.createDirectories(stack.data());
            try (FileChannel channel =
                    FileChannel.open(
                            stack.lock(), StandardOpenOption.CREATE, StandardOpenOption.WRITE)) {
                FileLock lock = channel.tryLock();
                if (lock == null) {
                    progress.accept(
                            "another devstack is starting or stopping this stack: waiting for it");
                    channel.lock();
                }
                return action.getAsInt();
            }
        } catch (IOException e) {
            throw new DevstackException("cannot write to " + stack.data(), e);
        }
    }

    private static Path byDefault() {
        String chosen = System.getenv("FOREBAY_DATA");
        return chosen != null ? Path.of(chosen) : StackOnDisk.repository().resolve(".devstack");
    }
}
