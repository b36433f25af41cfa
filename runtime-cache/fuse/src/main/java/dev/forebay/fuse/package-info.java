/**
 * The FUSE pod: its options, its parts, health and end. {@link Pod} puts it together from what it
 * reads, what it shows, and where that is mounted.
 */
@NullMarked
package dev.forebay.fuse;

import org.jspecify.annotations.NullMarked;
