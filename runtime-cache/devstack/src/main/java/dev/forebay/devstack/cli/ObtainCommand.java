package dev.forebay.devstack.cli;

import dev.forebay.devstack.tool.Toolbox;
import picocli.CommandLine.Command;

/** Obtains what is missing, without starting anything. */
@Command(
        name = "obtain",
        description =
                "Obtains the servers that are missing, so that 'up' needs no network, and shows"
                        + " where each is.",
        mixinStandardHelpOptions = true,
        versionProvider = BuiltVersion.class)
final class ObtainCommand extends StackCommand {
    @Override
    public Integer call() {
        Toolbox.ofThisMachine()
                .all()
                .forEach((name, path) -> out().printf("%-12s%s%n", name, path));
        return 0;
    }
}
