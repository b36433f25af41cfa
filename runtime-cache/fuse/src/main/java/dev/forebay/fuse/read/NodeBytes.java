package dev.forebay.fuse.read;

import dev.forebay.model.Digest;
import dev.forebay.model.PackId;
import java.time.Duration;

/**
 * What the source has on this node's disk: to bring that into memory before it is asked for would
 * only be one more copy. Safe for use by many threads.
 */
public interface NodeBytes {

    /** Whether bytes within one piece can be read without asking anybody else. */
    boolean has(Digest manifest, PackId pack, long from, long to);

    /**
     * Says that a version is being read, wherever its bytes come from. Cheap: called for every
     * read.
     */
    void use(Digest manifest);

    /** Says that bytes which are here will be read soon. */
    void willRead(PackId pack, long from, long to);

    /**
     * How long the disk may hang before it is given up: what then still waits for it may wait for
     * ever, and what is asked for from then on comes past it.
     */
    Duration patience();
}
