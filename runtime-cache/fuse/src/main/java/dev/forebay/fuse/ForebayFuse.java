package dev.forebay.fuse;

import dev.forebay.fuse.options.Mountpoint;
import dev.forebay.fuse.options.PodOptions;
import dev.forebay.membership.RegionState;
import dev.forebay.membership.etcd.EtcdClientFiles;
import dev.forebay.membership.etcd.EtcdConfig;
import dev.forebay.membership.etcd.EtcdRegionState;
import dev.forebay.transfer.HostAddresses;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.Optional;
import java.util.concurrent.Callable;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;

/** The program {@code forebay-fuse}: shows a region's mounted versions as files. */
@Command(
        name = "forebay-fuse",
        mixinStandardHelpOptions = true,
        versionProvider = BuiltVersion.class,
        usageHelpAutoWidth = true,
        sortOptions = false,
        description = {
            "Shows the dataset versions of a region as read-only files, in the directories",
            "MOUNTPOINT/namespace/name/version/. On SIGTERM or SIGINT it unmounts and ends.",
            "'forebay-fuse hold' keeps a mount while the processes that serve it are replaced.",
            "'forebay-fuse csi' provides the versions to pods as volumes: see their --help.",
            "Each option can also be set by the environment variable that is named with it."
        })
public final class ForebayFuse implements Callable<Integer> {

    @Mixin private PodOptions options = new PodOptions();

    ForebayFuse() {}

    public static void main(String[] arguments) {
        EtcdClientFiles.disable();
        HostAddresses.followMoves();
        // Not picocli subcommands, which would require the options of their parent.
        Optional<Object> other =
                switch (arguments.length == 0 ? "" : arguments[0]) {
                    case Hold.NAME -> Optional.of(new Hold());
                    case Csi.NAME -> Optional.of(new Csi());
                    default -> Optional.empty();
                };
        CommandLine commandLine = Arguments.of(other.orElseGet(ForebayFuse::new));
        int from = other.isPresent() ? 1 : 0;
        System.exit(commandLine.execute(Arrays.copyOfRange(arguments, from, arguments.length)));
    }

    @Override
    public Integer call() throws InterruptedException {
        options.check();
        if (options.holder != null) {
            // Created even if the holder does not exist yet: any process that listens there is
            // trusted.
            PrivateDirectory.make("--holder", options.holder);
        }
        EtcdConfig etcd = options.etcd.config();
        String where =
                options.mountpoint == null
                        ? "connected to holder " + options.holder
                        : "mounted at " + Mountpoint.prepare(options.mountpoint);
        Path memory = options.mountDirectory().resolve("last-region-view");
        Pod pod = Pod.start(options, () -> connect(etcd, memory));
        Runtime.getRuntime().addShutdownHook(new Thread(pod::close, "unmount"));
        pod.rehearse();
        System.out.printf(
                "forebay-fuse: region %s is %s, metrics at %s%n",
                options.region, where, pod.metrics());
        return pod.awaitEnd();
    }

    private RegionState connect(EtcdConfig etcd, Path memory) {
        RegionState region = EtcdRegionState.connect(etcd, options.region, memory);
        UnknownRegion.warn(region, options.region);
        return region;
    }
}
