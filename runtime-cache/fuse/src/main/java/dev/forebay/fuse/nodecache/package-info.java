/**
 * Packs on the node's own disk, filled while they are read or ahead of time: sparse files that hold
 * nothing but a pack's bytes, each with a map beside it that says which of them are there.
 */
@NullMarked
package dev.forebay.fuse.nodecache;

import org.jspecify.annotations.NullMarked;
