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
            "Writes the AOT caches with which the built programs start in half of the time, by"
                    + " having a small stack work for a moment. Each cache lies beside its"
                    + " program's jar and is good until a jar is built again."
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
