/** The read path of a node: pieces of packs in memory, read-ahead, and sources of bytes. */
@NullMarked
package dev.forebay.fuse.read;

import org.jspecify.annotations.NullMarked;
