/**
 * Chunks on local disk: crash-safe, checksummed, bounded, warm after a restart. Knows nothing of
 * the lake.
 */
@NullMarked
package dev.forebay.chunkstore;

import org.jspecify.annotations.NullMarked;
