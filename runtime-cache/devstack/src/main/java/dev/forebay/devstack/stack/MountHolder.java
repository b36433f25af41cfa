package dev.forebay.devstack.stack;

import dev.forebay.devstack.mount.MountRights;
import dev.forebay.devstack.mount.Mounts;
import dev.forebay.devstack.program.JavaCommand;
import dev.forebay.devstack.server.Launch;
import dev.forebay.devstack.server.ServerProcess;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/** Starts the process that keeps a mount while FUSE pods come and go. */
final class MountHolder {
    private static final String HEAP = "-Xmx32m";

    /** The first version of Linux that can pass a request from a dead reader to another one. */
    private static final int[] LINUX = {6, 9};

    private MountHolder() {}

    /** Returns whether this machine supports a holder. */
    static boolean canHold(Optional<String> transport) {
        return !transport.equals(Optional.of("jnr"))
                && MountRights.isRootHere()
                && Arrays.compare(linux(), LINUX) >= 0;
    }

    private static int[] linux() {
        return Arrays.stream(System.getProperty("os.version").split("[^0-9]+", -1))
                .limit(2)
                .mapToInt(Integer::parseInt)
                .toArray();
    }

    /** Starts a holder, which mounts. Returns when pods can connect. */
    static ServerProcess start(
            Path directory, Path mountpoint, JavaCommand java, Launch.Lifetime lifetime) {
        List<String> command = new ArrayList<>(java.options(HEAP).build());
        command.addAll(List.of("hold", "--holder", meeting(directory).toString()));
        command.addAll(List.of("--mountpoint", mountpoint.toString()));
        return ServerProcess.start(
                Launch.of(
                                "holder",
                                directory,
                                command,
                                Map.of(),
                                () -> Mounts.isMounted(mountpoint),
                                lifetime)
                        .stoppedWithin(java.endsWithin()));
    }

    /** Returns the folder where pods connect to the holder. */
    static Path meeting(ServerProcess holder) {
        return meeting(holder.log().resolveSibling("."));
    }

    private static Path meeting(Path directory) {
        return directory.normalize().resolve("held");
    }
}
