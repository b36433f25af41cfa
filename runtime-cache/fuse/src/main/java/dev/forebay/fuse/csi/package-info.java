/**
 * The node's driver of the Container Storage Interface: gives versions that the node shows to pods
 * as volumes, each a copy of the mount that shows the version. Keeps nothing: what is published is
 * asked of the kernel.
 */
@NullMarked
package dev.forebay.fuse.csi;

import org.jspecify.annotations.NullMarked;
