package dev.forebay.fuse.view;

import dev.forebay.fuse.nodecache.NodePacks;
import java.util.Optional;

/** The packs on the node's disk, which one process at a time may use. Thread-safe. */
@FunctionalInterface
public interface LocalPacks {

    /** Returns the packs if this process can use them now. */
    Optional<NodePacks> open();

    /** Returns whether this process can never use them. */
    default boolean failed() {
        return false;
    }
}
