/**
 * The node driver of the Container Storage Interface. It publishes versions as volumes for pods,
 * each a copy of the mount that shows the version. It keeps no state: the kernel's mount table is
 * the record.
 */
@NullMarked
package dev.forebay.fuse.csi;

import org.jspecify.annotations.NullMarked;
