/**
 * Images: a version's tree as an EROFS file system that holds names and attributes and points into
 * packs for the bytes.
 *
 * <p>The format is described in the Linux kernel's {@code Documentation/filesystems/erofs.rst} and
 * {@code fs/erofs/erofs_fs.h}; {@code docs/interfaces.md} says which parts of it are used.
 */
@NullMarked
package dev.forebay.image;

import org.jspecify.annotations.NullMarked;
