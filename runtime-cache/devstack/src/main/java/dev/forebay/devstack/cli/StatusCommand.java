package dev.forebay.devstack.cli;

import dev.forebay.devstack.server.PidFile;
import dev.forebay.devstack.stack.Addresses;
import dev.forebay.devstack.stack.StackOnDisk;
import java.io.PrintWriter;
import java.util.Optional;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;

/** Shows the addresses and processes of a stack. */
@Command(
        name = "status",
        description = {
            "Shows all addresses and which processes run.",
            "Exits with 0 if all processes run, otherwise with 3."
        },
        mixinStandardHelpOptions = true,
        versionProvider = BuiltVersion.class)
final class StatusCommand extends StackCommand {
    private static final int NOT_RUNNING = 3;

    @Option(names = "--json", description = "print the addresses as one JSON object of strings")
    private boolean json;

    @Override
    public Integer call() {
        StackOnDisk disk = stack();
        Optional<Addresses> addresses = disk.addresses();
        PrintWriter out = out();
        if (json) {
            out.println(addresses.map(Addresses::toJson).orElse("{}"));
        } else {
            addresses.ifPresentOrElse(
                    known -> AddressTable.print(known, out),
                    () -> out.println("not running: start it with 'devstack up'"));
            disk.processes().forEach(process -> print(disk, process, out));
        }
        return disk.isRunning() ? 0 : NOT_RUNNING;
    }

    private static void print(StackOnDisk disk, PidFile process, PrintWriter out) {
        out.printf(
                "%-32s%-10s%s%n",
                disk.nameOf(process),
                process.isAlive() ? process.identity().pid() : "ENDED",
                process.file().resolveSibling(process.name() + ".log"));
    }
}
