package dev.forebay.fuse.view;

import dev.forebay.fuse.nodecache.NodePacks;
import java.util.Optional;

/** Packs on the node's disk, which one process at a time may use. Safe for use by many threads. */
@FunctionalInterface
public interface LocalPacks {

    /** They, if this process can use them now. */
    Optional<NodePacks> open();

    /** Whether it is known that this process never can: then nobody looks after them. */
    default boolean failed() {
        return false;
    }
}
