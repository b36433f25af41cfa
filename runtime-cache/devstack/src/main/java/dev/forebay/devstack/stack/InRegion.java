package dev.forebay.devstack.stack;

import dev.forebay.devstack.DevstackException;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.URI;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

/**
 * Runs a program as a training pod of a region would: in a mount namespace of its own in which that
 * region's mount is at the common mount root, so that the path of a version is the same in every
 * region. {@code FOREBAY_API} and {@code FOREBAY_REGION} are set.
 *
 * @param region the region's name
 * @param mountpoint where its FUSE pod mounts
 * @param mountRoot where the program sees it
 * @param api the control plane
 */
public record InRegion(String region, Path mountpoint, Path mountRoot, URI api) {
    /** The mount ends with the namespace, that is with the program: there is nothing to clean. */
    private static final String SCRIPT =
            """
            mount --rbind "$1" "$2" && mount --make-rslave "$2" && shift 2 && exec "$@"
            """;

    /** A region of a running stack. */
    public static InRegion of(Stack stack, String region) {
        return new InRegion(
                region, stack.region(region).mountpoint(), stack.mountRoot(), stack.api());
    }

    /**
     * Prepares the program; the caller redirects and starts it.
     *
     * @throws DevstackException if nothing is mounted
     */
    public ProcessBuilder command(List<String> program) {
        if (!Mounts.isMounted(mountpoint)) {
            throw new DevstackException(
                    "nothing is mounted at %s: see fuse.log of region %s"
                            .formatted(mountpoint, region));
        }
        try {
            Files.createDirectories(mountRoot);
            List<String> command = new ArrayList<>(List.of("unshare", "--mount"));
            if (!Files.getAttribute(Path.of("/proc/self"), "unix:uid").equals(0)) {
                command.add("--map-root-user");
            }
            command.addAll(List.of("/bin/sh", "-c", SCRIPT, "devstack"));
            command.add(mountpoint.toString());
            command.add(mountRoot.toString());
            command.addAll(program);
            ProcessBuilder builder = new ProcessBuilder(command);
            builder.environment().put("FOREBAY_API", api.toString());
            builder.environment().put("FOREBAY_REGION", region);
            return builder;
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}
