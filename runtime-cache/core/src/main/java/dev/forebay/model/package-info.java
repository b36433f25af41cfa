/**
 * The vocabulary of all other parts of Forebay: names, digests, packs, chunks and errors. Values
 * only, no I/O.
 */
@NullMarked
package dev.forebay.model;

import org.jspecify.annotations.NullMarked;
