package dev.forebay.transfer;

import dev.forebay.model.DatasetVersion;
import java.util.BitSet;
import java.util.Map;

/**
 * The coverage of a manifest on one worker.
 *
 * @param chunks the number of chunks of the manifest
 * @param held bit <i>k</i> is set if the chunk with ordinal <i>k</i> is complete there; the
 *     receiver's own copy
 * @param liveBytes bytes of the manifest's objects in these chunks, by the worker's copy of the
 *     manifest
 * @param bytesFromLake bytes that the worker has read from the lake for each mounted version with
 *     this manifest, since it was mounted
 * @param bytesFromSiblings the same for bytes from other regions
 */
public record Coverage(
        long chunks,
        BitSet held,
        long liveBytes,
        Map<DatasetVersion, Long> bytesFromLake,
        Map<DatasetVersion, Long> bytesFromSiblings) {}
