/**
 * A mount that outlives the process that serves it. A holder keeps the mount's descriptors, and
 * several servers have copies of them. One server serves, and another takes over when it leaves or
 * dies.
 */
@NullMarked
package dev.forebay.fuse.hold;

import org.jspecify.annotations.NullMarked;
