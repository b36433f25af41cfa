/** Plans sweeps: which copies to evict from a region, and why. Pure functions of a survey. */
@NullMarked
package dev.forebay.control.sweep;

import org.jspecify.annotations.NullMarked;
