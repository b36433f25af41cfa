/**
 * The file system as ordinary classes: read-only operations by inode number over the mount table.
 * Knows no kernel, no transport and no network.
 */
@NullMarked
package dev.forebay.fuse.fs;

import org.jspecify.annotations.NullMarked;
