/**
 * A mount that outlives the process that serves it: a holder keeps the mount's descriptors, several
 * processes have copies of them, one serves, and another takes over when that one leaves or dies.
 */
@NullMarked
package dev.forebay.fuse.hold;

import org.jspecify.annotations.NullMarked;
