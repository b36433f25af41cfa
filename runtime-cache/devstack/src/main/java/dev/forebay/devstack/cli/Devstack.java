package dev.forebay.devstack.cli;

import dev.forebay.devstack.DevstackException;
import picocli.CommandLine;
import picocli.CommandLine.Command;

/** The command {@code devstack} and its subcommands. */
@Command(
        name = "devstack",
        description = "Runs Forebay and the servers that it needs as processes on this machine.",
        mixinStandardHelpOptions = true,
        versionProvider = BuiltVersion.class,
        subcommands = {
            UpCommand.class,
            DownCommand.class,
            StatusCommand.class,
            ExecCommand.class,
            RunCommand.class,
            TrainCommand.class,
            ObtainCommand.class,
            CleanUpCommand.class
        })
public final class Devstack {
    private Devstack() {}

    /** Exits with 0 on success, 1 on a failure, and 2 on wrong arguments. */
    public static void main(String[] arguments) {
        System.exit(commandLine().execute(arguments));
    }

    static CommandLine commandLine() {
        return new CommandLine(new Devstack())
                .setUsageHelpAutoWidth(true)
                .setParameterExceptionHandler(Devstack::refuse)
                .setExecutionExceptionHandler(Devstack::report);
    }

    /** Prints the message without the whole usage, which would hide it. */
    private static int refuse(CommandLine.ParameterException wrong, String[] arguments) {
        CommandLine command = wrong.getCommandLine();
        command.getErr().println("devstack: " + wrong.getMessage());
        command.getErr().printf("See '%s --help'.%n", command.getCommandSpec().qualifiedName());
        return CommandLine.ExitCode.USAGE;
    }

    private static int report(
            Exception failure, CommandLine command, CommandLine.ParseResult parsed)
            throws Exception {
        if (failure instanceof DevstackException) {
            command.getErr().println("devstack: " + failure.getMessage());
            return CommandLine.ExitCode.SOFTWARE;
        }
        throw failure;
    }
}
