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
import java.util.Objects;
import java.util.stream.Stream;

/**
 * Runs a program as a training pod of a region would: in a mount namespace of its own in which that
 * region's mount is at the common mount root, so that the path of a version is the same in every
 * region. {@code FOREBAY_API} and {@code FOREBAY_REGION} are set, and no proxy is between.
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

    private static final String THIS_MACHINE = "localhost,127.0.0.1,::1";

    /** A region of a running stack. */
    public static InRegion of(Stack stack, String region) {
        return new InRegion(
                region, stack.region(region).mountpoint(), stack.mountRoot(), stack.api());
    }

    /**
     * Adds the lake's address and key to an environment, under the names of the AWS SDKs. If the
     * lake is the stack's own, what the machine says of another one goes: a key, a profile or an
     * endpoint there counts before the file with the lake's key.
     */
    public static void addLake(Map<String, String> environment, Addresses addresses) {
        if (addresses.get("lake.credentials").isPresent()) {
            environment.keySet().removeIf(name -> name.startsWith("AWS_"));
        }
        addresses.get("lake").ifPresent(lake -> environment.put("AWS_ENDPOINT_URL_S3", lake));
        addresses
                .get("lake.region")
                .ifPresent(region -> environment.put("AWS_DEFAULT_REGION", region));
        addresses
                .get("lake.credentials")
                .ifPresent(file -> environment.put("AWS_SHARED_CREDENTIALS_FILE", file));
    }

    /**
     * Has programs reach what listens on this machine directly, though the machine has a proxy:
     * boto3, for one, would ask the stack's lake through it. Adds to both spellings, as programs
     * read one or the other.
     */
    static void exceptThisMachine(Map<String, String> environment) {
        String before =
                Stream.of("no_proxy", "NO_PROXY")
                        .map(environment::get)
                        .filter(Objects::nonNull)
                        .findFirst()
                        .orElse("");
        String after = before.isBlank() ? THIS_MACHINE : before + "," + THIS_MACHINE;
        environment.put("no_proxy", after);
        environment.put("NO_PROXY", after);
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
            exceptThisMachine(builder.environment());
            return builder;
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}
