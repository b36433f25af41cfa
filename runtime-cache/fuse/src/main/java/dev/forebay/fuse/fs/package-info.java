/**
 * The file system as ordinary classes: read-only operations by inode number over the mount table.
 * Depends on no kernel, transport or network.
 */
@NullMarked
package dev.forebay.fuse.fs;

import org.jspecify.annotations.NullMarked;
