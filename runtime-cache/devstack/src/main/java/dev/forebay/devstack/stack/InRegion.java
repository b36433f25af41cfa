package dev.forebay.devstack.stack;

import dev.forebay.devstack.DevstackException;
import dev.forebay.devstack.mount.MountRights;
import dev.forebay.devstack.mount.Mounts;
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
 * Runs a program like a training pod of a region. A mount namespace of its own shows the region's
 * mount at the common mount root, so the path of a version is the same in every region. {@code
 * FOREBAY_API} and {@code FOREBAY_REGION} are set, and local requests bypass a proxy.
 *
 * @param region the region's name
 * @param mountpoint where its FUSE pod mounts
 * @param mountRoot where the program sees it
 * @param api the control plane
 */
public record InRegion(String region, Path mountpoint, Path mountRoot, URI api) {
    /** The mount ends with the namespace, and so with the program. No clean-up is necessary. */
    private static final String SCRIPT =
            """
            mount --rbind "$1" "$2" && mount --make-rslave "$2" && shift 2 && exec "$@"
            """;

    private static final String THIS_MACHINE = "localhost,127.0.0.1,::1";

    /** Returns a region of a running stack. */
    public static InRegion of(Stack stack, String region) {
        return new InRegion(
                region, stack.region(region).mountpoint(), stack.mountRoot(), stack.api());
    }

    /**
     * Adds the lake's address and key to an environment, under the names of the AWS SDKs. If the
     * lake belongs to the stack, removes all other AWS variables first: a key, a profile or an
     * endpoint there has precedence over the file with the lake's key.
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
     * Lets programs reach servers on this machine directly if the machine has a proxy. Otherwise
     * boto3, for example, would send requests for the lake to the proxy. Sets the variable in lower
     * and upper case, because programs read one or the other.
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
     * Prepares the program. The caller redirects its output and starts it.
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
