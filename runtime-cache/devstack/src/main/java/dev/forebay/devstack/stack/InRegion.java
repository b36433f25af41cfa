package dev.forebay.devstack.stack;

import dev.forebay.devstack.DevstackException;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.URI;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;

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

    /** Adds the lake's address and key to an environment, under the names of the AWS SDKs. */
    public static void addLake(Map<String, String> environment, Addresses addresses) {
        addresses.get("lake").ifPresent(lake -> environment.put("AWS_ENDPOINT_URL_S3", lake));
        addresses
                .get("lake.region")
                .ifPresent(region -> environment.put("AWS_DEFAULT_REGION", region));
        addresses
                .get("lake.credentials")
                .ifPresent(file -> environment.put("AWS_SHARED_CREDENTIALS_FILE", file));
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
            if (!MountRights.isRootHere()) {
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
