/** A node's read path: pieces of packs in memory, readahead, manifests from workers. */
@NullMarked
package dev.forebay.fuse.read;

import org.jspecify.annotations.NullMarked;
