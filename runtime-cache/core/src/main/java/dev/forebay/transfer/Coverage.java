package dev.forebay.transfer;

import dev.forebay.model.DatasetVersion;
import java.util.BitSet;
import java.util.Map;

/**
 * What a worker holds of a manifest.
 *
 * @param chunks how many chunks the manifest has
 * @param held bit <i>k</i> is set if the chunk with ordinal <i>k</i> is complete there; the
 *     receiver's own copy
 * @param liveBytes how many bytes of the manifest's objects lie in those, by the worker's copy of
 *     it
 * @param bytesFromLake how many bytes the worker has read from the lake for each mounted version
 *     with this manifest, since it was mounted
 * @param bytesFromSiblings the same of bytes from other regions
 */
public record Coverage(
        long chunks,
        BitSet held,
        long liveBytes,
        Map<DatasetVersion, Long> bytesFromLake,
        Map<DatasetVersion, Long> bytesFromSiblings) {}
