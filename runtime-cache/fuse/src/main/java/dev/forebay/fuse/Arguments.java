package dev.forebay.fuse;

import dev.forebay.fuse.options.ChoiceConverter;
import dev.forebay.fuse.options.TransportChoice;
import dev.forebay.fuse.options.ViewChoice;
import dev.forebay.fuse.view.ImageDevices;
import dev.forebay.model.ErrorCode;
import dev.forebay.model.ForebayException;
import java.io.PrintWriter;
import java.util.List;
import picocli.CommandLine;
import picocli.CommandLine.MissingParameterException;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.UnmatchedArgumentException;

/** Configures the command lines of the programs, and their error messages. */
final class Arguments {

    private Arguments() {}

    /**
     * @param program a picocli command
     */
    static CommandLine of(Object program) {
        CommandLine commandLine = new CommandLine(program);
        commandLine.registerConverter(
                TransportChoice.class, new ChoiceConverter<>(TransportChoice.class));
        commandLine.registerConverter(ViewChoice.class, new ChoiceConverter<>(ViewChoice.class));
        commandLine.registerConverter(
                ImageDevices.class, new ChoiceConverter<>(ImageDevices.class));
        commandLine.setParameterExceptionHandler((failure, _) -> refuse(failure));
        commandLine.setExecutionExceptionHandler(
                (failure, command, _) -> {
                    if (failure instanceof ForebayException refused) {
                        command.getErr().println("forebay-fuse: " + refused.getMessage());
                        return refused.code() == ErrorCode.INVALID_ARGUMENT
                                ? CommandLine.ExitCode.USAGE
                                : CommandLine.ExitCode.SOFTWARE;
                    }
                    throw failure;
                });
        return commandLine;
    }

    /** Prints the error without the whole usage, which would hide it. */
    private static int refuse(ParameterException failure) {
        CommandLine command = failure.getCommandLine();
        PrintWriter err = command.getErr();
        List<String> unknown = command.getUnmatchedArguments();
        // A required option may be missing only because its name was mistyped.
        ParameterException said =
                failure instanceof MissingParameterException && !unknown.isEmpty()
                        ? new UnmatchedArgumentException(command, unknown)
                        : failure;
        err.println("forebay-fuse: " + said.getMessage());
        UnmatchedArgumentException.printSuggestions(said, err);
        err.printf("See '%s --help'.%n", command.getCommandSpec().qualifiedName());
        return CommandLine.ExitCode.USAGE;
    }
}
