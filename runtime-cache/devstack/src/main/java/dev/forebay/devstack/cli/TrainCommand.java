package dev.forebay.devstack.cli;

import dev.forebay.devstack.stack.OwnedDirectory;
import dev.forebay.devstack.stack.StackOnDisk;
import dev.forebay.devstack.stack.Training;
import java.io.IOException;
import java.nio.file.Path;
import picocli.CommandLine.Command;

/** Writes the AOT caches of the built programs. */
@Command(
        name = "train",
        description = {
            "Writes the AOT caches, which halve the start time of the built programs, by running "
                    + "a small stack. Each cache is next to its program's jar, and valid until the next "
                    + "build."
        },
        mixinStandardHelpOptions = true,
        versionProvider = BuiltVersion.class)
final class TrainCommand extends StackCommand {
    @Override
    public Integer call() throws IOException, InterruptedException {
        Path data = OwnedDirectory.create(StackOnDisk.repository().resolve("target"));
        new Training(data, this::say).run();
        DataDirectory.remove(data);
        return 0;
    }
}
