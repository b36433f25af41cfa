package dev.forebay.devstack.cli;

import dev.forebay.devstack.DevstackException;
import dev.forebay.devstack.stack.InRegion;
import dev.forebay.devstack.stack.OwnedDirectory;
import dev.forebay.devstack.stack.Stack;
import dev.forebay.devstack.stack.StackConfig;
import dev.forebay.devstack.stack.StackOnDisk;
import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** Runs a program while a stack of its own is up. */
@Command(
        name = "run",
        description = {
            "Starts a stack with one region on free ports, runs a program in the region like "
                    + "'exec', with access to the lake, and stops the stack. Exits with the program's "
                    + "status. Removes the data if that is 0."
        },
        mixinStandardHelpOptions = true,
        versionProvider = BuiltVersion.class)
final class RunCommand extends StackCommand {
    @Option(names = "--region", required = true, paramLabel = "NAME", description = "the region")
    private String region = "";

    @Parameters(
            arity = "1..*",
            paramLabel = "COMMAND",
            description = "the program and its " + "arguments")
    private List<String> program = List.of();

    @Override
    public Integer call() throws IOException, InterruptedException {
        if (!StackConfig.REGIONS.contains(region)) {
            throw new DevstackException(
                    "there is no region %s; the stack has %s"
                            .formatted(region, StackConfig.REGIONS));
        }
        Path data = OwnedDirectory.create(StackOnDisk.repository().resolve("target"));
        int status;
        StackConfig config =
                StackConfig.inDirectory(data)
                        .regions(region)
                        .shortLived()
                        .progress(this::say)
                        .build();
        try (Stack stack = Stack.start(config)) {
            ProcessBuilder builder = InRegion.of(stack, region).command(program).inheritIO();
            InRegion.addLake(builder.environment(), stack.addresses());
            Process process = builder.start();
            Runtime.getRuntime().addShutdownHook(new Thread(process::destroy));
            status = process.waitFor();
        }
        if (status == 0) {
            DataDirectory.remove(data);
        } else {
            say("the logs are below " + data);
        }
        return status;
    }
}
