/** Eviction policies: choose the chunk to remove when space is needed. */
@NullMarked
package dev.forebay.chunkstore.eviction;

import org.jspecify.annotations.NullMarked;
