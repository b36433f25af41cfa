/**
 * The cache of packs on the node's own disk, filled by reads and by prewarming. Packs are sparse
 * files of a pack's bytes, each with a map that records which pages are present.
 */
@NullMarked
package dev.forebay.fuse.nodecache;

import org.jspecify.annotations.NullMarked;
