package dev.forebay.workflows.message;

import dev.forebay.model.RegionName;

/**
 * The progress of a region's fill. The first report means that the version is mounted.
 *
 * @param path where the version appears on the region's nodes
 * @param bytesCached bytes present and verified so far
 * @param bytesFromLake bytes taken from the lake for this copy so far
 * @param objectsCached files filled to their last byte so far
 * @param bytesCounted how many bytes of the version, in order from the first one, this fill has
 *     gone through; 0 in later rounds
 * @param objectsCounted the same in files
 */
public record FillProgress(
        RegionName region,
        String path,
        long bytesCached,
        long bytesFromLake,
        long objectsCached,
        long bytesCounted,
        long objectsCounted) {}
