package dev.forebay.fuse.nodecache;

import java.nio.file.Path;

/**
 * The bounds of the node cache.
 *
 * @param directory made if it is not there; for one process at a time
 * @param capacityBytes what packs and their maps may take on disk
 * @param prewarmBytesPerSecond how fast versions that are read are brought here as a whole; 0 for
 *     not at all
 */
public record NodePacksConfig(Path directory, long capacityBytes, long prewarmBytesPerSecond) {}
