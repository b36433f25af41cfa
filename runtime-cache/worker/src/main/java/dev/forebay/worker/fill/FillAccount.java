package dev.forebay.worker.fill;

import dev.forebay.lake.ReadMeter;
import dev.forebay.model.Digest;
import dev.forebay.model.Sibling;

/** Records the cost of fills. Implementations never throw. */
public interface FillAccount {

    /** Returns the meter for the lake requests of one fill for this manifest. */
    ReadMeter lakeReads(Digest manifest);

    /**
     * Records bytes that came from the lake for a version with this manifest. Called before they
     * are stored: even if the process is killed, every stored chunk has a recorded cost.
     */
    void took(Digest manifest, long bytes);

    /** Records one answered request to another worker, for a version with this manifest. */
    void tookFromPeer(Digest manifest, long bytes);

    /**
     * Records one answered request to a sibling region, for a version with this manifest. Called
     * before the bytes are stored.
     *
     * @param bytes all bytes received
     * @param kept the bytes among them that belong to missing objects
     */
    void tookFromSibling(Digest manifest, Sibling sibling, long bytes, long kept);
}
