/**
 * The vocabulary every other part of Forebay speaks: names, digests, packs, chunks and errors. Pure
 * values, no I/O.
 */
@NullMarked
package dev.forebay.model;

import org.jspecify.annotations.NullMarked;
