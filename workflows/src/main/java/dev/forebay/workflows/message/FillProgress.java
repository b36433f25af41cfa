package dev.forebay.workflows.message;

import dev.forebay.model.RegionName;

/**
 * How far the filling of a region is; the first one says that the version is mounted.
 *
 * @param path where the version appears on the region's nodes
 * @param bytesCached bytes present and verified so far
 * @param bytesFromLake bytes taken from the lake for this copy so far
 * @param objectsCached files filled to their last byte so far
 * @param bytesCounted what this filling has come to by itself, from the first byte on in order; 0
 *     if it goes over the version again, and from fillings that do not say it
 * @param objectsCounted as many files
 */
public record FillProgress(
        RegionName region,
        String path,
        long bytesCached,
        long bytesFromLake,
        long objectsCached,
        long bytesCounted,
        long objectsCounted) {}
