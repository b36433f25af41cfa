package dev.forebay.worker.fill;

import dev.forebay.lake.ReadMeter;
import dev.forebay.model.Digest;
import dev.forebay.model.Sibling;

/** Keeps what fills cost. Implementations never throw. */
public interface FillAccount {

    /** Who counts the requests to the lake that a fill for this manifest sends. */
    ReadMeter lakeReads(Digest manifest);

    /**
     * Bytes came from the lake for a version with this manifest and will be stored. Told before
     * they are, so that no chunk is here whose cost is not known, whenever the process is killed.
     */
    void took(Digest manifest, long bytes);

    /** Bytes came from another worker, with one request, for a version with this manifest. */
    void tookFromPeer(Digest manifest, long bytes);

    /**
     * Bytes came from another region, with one request, for a version with this manifest, and will
     * be stored.
     *
     * @param bytes all that came
     * @param kept those of objects that were missing
     */
    void tookFromSibling(Digest manifest, Sibling sibling, long bytes, long kept);
}
