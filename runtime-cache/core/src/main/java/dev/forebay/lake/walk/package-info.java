/**
 * Enumerates the objects of a dataset. It lists whole prefixes with many parallel requests, or
 * finds the keys of a list. Prefixes are spooled to disk, so memory stays constant and an
 * interrupted walk can continue.
 */
@NullMarked
package dev.forebay.lake.walk;

import org.jspecify.annotations.NullMarked;
