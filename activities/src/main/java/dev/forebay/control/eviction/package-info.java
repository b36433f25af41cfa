/** Evictions from a region: the worth of versions, the choice of victims, and sweeps. */
@NullMarked
package dev.forebay.control.eviction;

import org.jspecify.annotations.NullMarked;
