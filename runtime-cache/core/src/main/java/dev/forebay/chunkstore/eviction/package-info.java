/** Which chunk goes first when room is needed. */
@NullMarked
package dev.forebay.chunkstore.eviction;

import org.jspecify.annotations.NullMarked;
