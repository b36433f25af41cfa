package dev.forebay.fuse;

import dev.forebay.membership.EtcdConfig;
import dev.forebay.membership.EtcdRegionState;
import dev.forebay.model.ForebayException;
import dev.forebay.model.RegionName;
import java.util.concurrent.Callable;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;

/** The program {@code forebay-fuse}: shows a region's mounted versions as files. */
@Command(
        name = "forebay-fuse",
        mixinStandardHelpOptions = true,
        usageHelpAutoWidth = true,
        sortOptions = false,
        description = {
            "Shows the dataset versions that a region has cached as read-only files,",
            "at MOUNTPOINT/namespace/name/version/. Ends, unmounting, on SIGTERM or SIGINT.",
            "Each option can also be given by the environment variable named with it."
        })
public final class ForebayFuse implements Callable<Integer> {

    @Mixin private PodOptions options = new PodOptions();

    private ForebayFuse() {}

    public static void main(String[] arguments) {
        CommandLine commandLine = new CommandLine(new ForebayFuse());
        commandLine.setCaseInsensitiveEnumValuesAllowed(true);
        commandLine.setExecutionExceptionHandler(
                (failure, command, _) -> {
                    if (failure instanceof ForebayException refused) {
                        command.getErr().println("forebay-fuse: " + refused.getMessage());
                        return CommandLine.ExitCode.SOFTWARE;
                    }
                    throw failure;
                });
        System.exit(commandLine.execute(arguments));
    }

    @Override
    public Integer call() throws InterruptedException {
        RegionName region = new RegionName(options.region);
        EtcdConfig etcd = EtcdConfig.of(options.etcdEndpoints);
        Mountpoint.prepare(options.mountpoint);
        Pod pod = Pod.start(options, EtcdRegionState.connect(etcd, region));
        Runtime.getRuntime().addShutdownHook(new Thread(pod::close, "unmount"));
        System.out.printf(
                "forebay-fuse: region %s is mounted at %s, metrics at %s/metrics%n",
                region, options.mountpoint.toAbsolutePath(), pod.server());
        return pod.awaitEnd();
    }
}
