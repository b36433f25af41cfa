/**
 * The messages of the FUSE kernel protocol, versions 7.31 to 7.45, in the byte order and with the
 * layouts of {@code include/uapi/linux/fuse.h}. Classes are named after the meaning of a message;
 * their Javadoc names the structure.
 *
 * <p>Reading and writing messages allocates nothing: callers provide the memory.
 */
@NullMarked
package dev.forebay.fuse.kernel.protocol;

import org.jspecify.annotations.NullMarked;
