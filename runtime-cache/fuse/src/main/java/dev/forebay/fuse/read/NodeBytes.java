package dev.forebay.fuse.read;

import dev.forebay.model.Digest;
import dev.forebay.model.PackId;
import java.time.Duration;

/**
 * The part of a source that is on this node's disk. Read-ahead into memory would only add a copy of
 * it. Thread-safe.
 */
public interface NodeBytes {

    /** Returns whether bytes within one piece can be read without another node. */
    boolean has(Digest manifest, PackId pack, long from, long to);

    /**
     * Records that a version is being read, from any source. Cheap, because every read calls it.
     */
    void use(Digest manifest);

    /** Announces that bytes on this node will be read soon. */
    void willRead(PackId pack, long from, long to);

    /**
     * Returns the time after which a hanging disk is given up. Threads that wait for it then may
     * wait forever, and later reads bypass it.
     */
    Duration timeout();
}
