package dev.forebay.devstack.cli;

import dev.forebay.devstack.stack.StackOnDisk;
import java.nio.file.Files;
import picocli.CommandLine.Command;

/** Stops a stack. */
@Command(
        name = "down",
        description = "Stops all processes that 'up' started and removes their mounts. Keeps data.",
        mixinStandardHelpOptions = true,
        versionProvider = BuiltVersion.class)
final class DownCommand extends StackCommand {
    @Override
    public Integer call() {
        StackOnDisk disk = stack();
        if (!Files.isDirectory(disk.data())) {
            sayNothingRuns(disk);
            return 0;
        }
        return DataOption.alone(
                disk,
                this::say,
                () -> {
                    if (disk.stop(this::say) == 0) {
                        sayNothingRuns(disk);
                    } else {
                        say("stopped the stack in " + disk.data());
                    }
                    return 0;
                });
    }

    private void sayNothingRuns(StackOnDisk disk) {
        say("nothing is running in " + disk.data());
    }
}
