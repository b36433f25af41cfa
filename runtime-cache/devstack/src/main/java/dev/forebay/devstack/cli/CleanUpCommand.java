package dev.forebay.devstack.cli;

import dev.forebay.devstack.stack.Leftovers;
import java.io.PrintWriter;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;

/** Removes the mounts and loop devices that killed processes left below some directories. */
@Command(
        name = "clean-up",
        description =
                "Removes mounts and loop devices that killed processes left below the "
                        + "directories, and prints one line for each. Running processes lose their "
                        + "mounts there.",
        mixinStandardHelpOptions = true,
        versionProvider = BuiltVersion.class)
@SuppressWarnings("NullAway.Init") // picocli sets the fields
final class CleanUpCommand implements Callable<Integer> {
    @Parameters(arity = "1..*", paramLabel = "DIRECTORY", description = "Directories to clean up.")
    private List<Path> directories;

    @Spec private CommandSpec spec;

    @Override
    public Integer call() {
        PrintWriter out = spec.commandLine().getOut();
        List<Path> absolute =
                directories.stream().map(each -> each.toAbsolutePath().normalize()).toList();
        Leftovers.cleanUp(absolute).forEach(out::println);
        out.flush();
        return 0;
    }
}
