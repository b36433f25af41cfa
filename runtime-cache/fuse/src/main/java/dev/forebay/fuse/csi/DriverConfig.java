package dev.forebay.fuse.csi;

import java.nio.file.Path;
import java.time.Duration;

/**
 * The settings of a driver.
 *
 * @param socket the Unix socket to listen on
 * @param tree the mount point that shows versions, as the kernel knows it: absolute, without links
 * @param targets the directory below which volumes are published
 * @param node the node's name for the orchestrator
 * @param version the version of this program
 * @param timeout the maximum time that a call waits for a version that is not visible yet
 * @param firstTimeout the maximum time that the first call for a volume waits: its caller shows the
 *     resulting error to people
 * @param imageTimeout the time in which a version's image may be attached before the version is
 *     published file by file
 * @param calls the maximum number of concurrent publish calls, and of concurrent unpublish calls
 * @param drain the time in which running calls may finish when the driver ends
 */
public record DriverConfig(
        Path socket,
        Path tree,
        Path targets,
        String node,
        String version,
        Duration timeout,
        Duration firstTimeout,
        Duration imageTimeout,
        int calls,
        Duration drain) {}
