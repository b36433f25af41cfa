/** The kernel's FUSE device: its mount, and the version of the protocol. */
@NullMarked
package dev.forebay.fuse.kernel.device;

import org.jspecify.annotations.NullMarked;
