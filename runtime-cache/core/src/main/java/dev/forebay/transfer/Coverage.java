package dev.forebay.transfer;

import java.util.BitSet;

/**
 * Which chunks of a manifest a worker holds completely.
 *
 * @param chunks how many chunks the manifest has
 * @param held bit <i>k</i> is set if the chunk with ordinal <i>k</i> is complete there; the
 *     receiver's own copy
 */
public record Coverage(long chunks, BitSet held) {}
