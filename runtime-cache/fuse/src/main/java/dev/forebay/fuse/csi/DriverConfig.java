package dev.forebay.fuse.csi;

import java.nio.file.Path;
import java.time.Duration;

/**
 * What a driver is told.
 *
 * @param socket where it listens
 * @param tree where versions are shown, as the kernel knows it: absolute, without links
 * @param targets the directory below which volumes are published
 * @param node the node's name for the orchestrator
 * @param version of this program
 * @param patience for how long a call waits at most for a version that is not shown yet
 * @param firstPatience for how long the first call for a volume waits for it at most: its caller
 *     shows people what it is told
 * @param imagePatience for how long a version that is shown file by file is left the time to be
 *     shown by its image
 * @param calls how many volumes may be on the way to be published at once, and how many on the way
 *     back
 * @param drain how long calls under way may take when the driver ends
 */
public record DriverConfig(
        Path socket,
        Path tree,
        Path targets,
        String node,
        String version,
        Duration patience,
        Duration firstPatience,
        Duration imagePatience,
        int calls,
        Duration drain) {}
