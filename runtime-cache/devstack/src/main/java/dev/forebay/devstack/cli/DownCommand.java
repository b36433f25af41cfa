package dev.forebay.devstack.cli;

import dev.forebay.devstack.stack.StackOnDisk;
import java.nio.file.Files;
import picocli.CommandLine.Command;

/** Stops a stack. */
@Command(
        name = "down",
        description = "Stops everything that 'up' started and takes its mounts away. Data stay.",
        mixinStandardHelpOptions = true,
        versionProvider = BuiltVersion.class)
final class DownCommand extends StackCommand {
    @Override
    public Integer call() {
        StackOnDisk disk = stack();
        if (!Files.isDirectory(disk.data())) {
            say("nothing is running");
            return 0;
        }
        return DataOption.alone(
                disk,
                this::say,
                () -> {
                    int stopped = disk.stop(this::say);
                    say(stopped == 0 ? "nothing is running" : "stopped");
                    return 0;
                });
    }
}
