package dev.forebay.devstack.cli;

import dev.forebay.devstack.tool.Toolbox;
import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.Map;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;

/** Obtains missing tools, without starting anything. */
@Command(
        name = "obtain",
        description =
                "Downloads missing servers, so that 'up' needs no network, and prints their paths.",
        mixinStandardHelpOptions = true,
        versionProvider = BuiltVersion.class)
final class ObtainCommand extends StackCommand {
    @Option(
            names = "--tests",
            description =
                    "also download and build the tools of 'make test'; Kubernetes takes "
                            + "minutes")
    private boolean tests;

    @Override
    public Integer call() {
        Toolbox toolbox = Toolbox.ofThisMachine();
        Map<String, Path> all = new LinkedHashMap<>(toolbox.all());
        if (tests) {
            all.putAll(toolbox.builtForTests());
        }
        all.forEach((name, path) -> out().printf("%-12s%s%n", name, path));
        return 0;
    }
}
