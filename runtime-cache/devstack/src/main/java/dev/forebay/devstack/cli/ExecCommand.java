package dev.forebay.devstack.cli;

import dev.forebay.devstack.DevstackException;
import dev.forebay.devstack.stack.Addresses;
import dev.forebay.devstack.stack.InRegion;
import dev.forebay.devstack.stack.StackOnDisk;
import java.io.IOException;
import java.net.URI;
import java.nio.file.Path;
import java.util.List;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** Runs a program like a training pod of a region. */
@Command(
        name = "exec",
        description = {
            "Runs a program like a training pod of a region: with the region's mount, at a path "
                    + "that is the same in all regions, and with FOREBAY_API and FOREBAY_REGION. Exits "
                    + "with the program's status.",
            "",
            "Example: devstack exec --region us-east-1 -- python train.py"
        },
        mixinStandardHelpOptions = true,
        versionProvider = BuiltVersion.class)
final class ExecCommand extends StackCommand {
    @Option(names = "--region", required = true, paramLabel = "NAME", description = "the region")
    private String region = "";

    @Option(
            names = "--with-lake",
            description =
                    "also set the lake's address and key for the AWS SDKs, which a training pod "
                            + "does not have")
    private boolean withLake;

    @Parameters(
            arity = "1..*",
            paramLabel = "COMMAND",
            description = "the program and its " + "arguments")
    private List<String> program = List.of();

    @Override
    public Integer call() throws IOException, InterruptedException {
        StackOnDisk disk = stack();
        Addresses addresses =
                disk.addresses()
                        .orElseThrow(
                                () -> new DevstackException("no stack is running: 'devstack up'"));
        String mount =
                addresses
                        .get(region + ".mount")
                        .orElseThrow(
                                () ->
                                        new DevstackException(
                                                "there is no region %s with a mount; the stack has %s"
                                                        .formatted(region, addresses.regions())));
        InRegion inRegion =
                new InRegion(
                        region,
                        Path.of(mount),
                        Path.of(addresses.get("mount-root").orElseThrow()),
                        URI.create(addresses.get("api").orElseThrow()));
        ProcessBuilder builder = inRegion.command(program).inheritIO();
        if (withLake) {
            InRegion.addLake(builder.environment(), addresses);
        }
        Process process = builder.start();
        Runtime.getRuntime().addShutdownHook(new Thread(process::destroy));
        return process.waitFor();
    }
}
