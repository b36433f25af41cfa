/** Evictions and sweeps. */
@NullMarked
package dev.forebay.workflows.evict;

import org.jspecify.annotations.NullMarked;
