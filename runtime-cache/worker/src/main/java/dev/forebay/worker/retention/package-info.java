/**
 * What the region wants kept: the versions that are mounted, the packs that pins protect, and the
 * dropping of what nobody refers to any more.
 */
@NullMarked
package dev.forebay.worker.retention;

import org.jspecify.annotations.NullMarked;
