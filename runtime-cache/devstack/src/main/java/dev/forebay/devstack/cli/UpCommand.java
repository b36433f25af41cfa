package dev.forebay.devstack.cli;

import dev.forebay.devstack.server.Launch;
import dev.forebay.devstack.server.PidFile;
import dev.forebay.devstack.server.ServerProcess;
import dev.forebay.devstack.stack.Addresses;
import dev.forebay.devstack.stack.ExternalServers;
import dev.forebay.devstack.stack.Stack;
import dev.forebay.devstack.stack.StackConfig;
import dev.forebay.devstack.stack.StackOnDisk;
import dev.forebay.devstack.stack.StackPorts;
import java.util.List;
import java.util.stream.Collectors;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;

/** Starts a stack that continues after the command has returned. */
@Command(
        name = "up",
        description = "Starts the stack and prints its addresses. It runs until 'devstack down'.",
        footer = {
            "",
            "To use your own servers, set these variables:",
            "  FOREBAY_ETCD_ENDPOINTS, FOREBAY_TEMPORAL_TARGET, FOREBAY_TEMPORAL_UI,",
            "  FOREBAY_POSTGRES_URL, FOREBAY_POSTGRES_USER, FOREBAY_POSTGRES_PASSWORD,",
            "  FOREBAY_LAKE_ENDPOINT (with AWS_ACCESS_KEY_ID, AWS_SECRET_ACCESS_KEY, and if needed",
            "  AWS_SESSION_TOKEN, AWS_REGION, FOREBAY_LAKE_PATH_STYLE=false and",
            "  FOREBAY_MANIFEST_BUCKET)."
        },
        mixinStandardHelpOptions = true,
        versionProvider = BuiltVersion.class)
final class UpCommand extends StackCommand {
    @Mixin private final UpOptions options = new UpOptions();

    private volatile boolean settled;

    @Override
    public Integer call() {
        StackOnDisk disk = stack();
        int portBase = options.portBase(System.getenv(), disk.portBase());
        StackConfig config = config(disk, portBase);
        return DataOption.alone(disk, this::say, () -> up(disk, config, portBase));
    }

    private int up(StackOnDisk disk, StackConfig config, int portBase) {
        if (disk.isRunning()) {
            say("already running");
            disk.addresses().ifPresent(this::print);
            return 0;
        }
        clean(disk);
        long began = System.nanoTime();
        stopUnlessSettled(disk);
        Stack stack = Stack.start(config);
        disk.startsAt(portBase);
        disk.ready(stack.addresses());
        settled = true;
        say("ready in %.1f s".formatted((System.nanoTime() - began) / 1e9));
        print(stack.addresses());
        return 0;
    }

    private StackConfig config(StackOnDisk disk, int portBase) {
        return StackConfig.inDirectory(disk.data())
                .regions(options.regions())
                .workersPerRegion(options.workers())
                .ports(StackPorts.from(portBase))
                .standby()
                .sweepInterval(options.sweepInterval())
                .workerCapacity(options.workerCapacity())
                .manifestBucket(options.manifestBucket())
                .external(ExternalServers.of(System.getenv()))
                .lifetime(Launch.Lifetime.UNTIL_STOPPED)
                .progress(this::say)
                .build();
    }

    /** Removes processes and mounts that an earlier run left after a crash or a failed start. */
    private void clean(StackOnDisk disk) {
        List<PidFile> all = disk.processes();
        if (all.stream().anyMatch(PidFile::isAlive)) {
            String dead =
                    all.stream()
                            .filter(process -> !process.isAlive())
                            .map(disk::nameOf)
                            .collect(Collectors.joining(", "));
            say(
                    dead.isEmpty()
                            ? "an earlier start did not finish: stopping its remaining processes"
                            : "%s ended: stopping the rest and starting again".formatted(dead));
        }
        disk.stop(this::say);
    }

    /**
     * Stops the whole stack if the command ends during the start: by Ctrl-C, a signal or an error.
     */
    private void stopUnlessSettled(StackOnDisk disk) {
        Runtime.getRuntime()
                .addShutdownHook(
                        new Thread(
                                () -> {
                                    if (!settled) {
                                        ServerProcess.startNoMore();
                                        disk.stop(line -> {});
                                    }
                                }));
    }

    private void print(Addresses addresses) {
        AddressTable.print(addresses, out());
        out().flush();
    }
}
