/**
 * Images: the tree of a version as an EROFS file system. An image has names and attributes, and
 * refers to packs for the bytes of files.
 *
 * <p>The Linux kernel's {@code Documentation/filesystems/erofs.rst} and {@code fs/erofs/erofs_fs.h}
 * describe the format. {@code docs/interfaces.md} lists the parts that Forebay uses.
 */
@NullMarked
package dev.forebay.image;

import org.jspecify.annotations.NullMarked;
