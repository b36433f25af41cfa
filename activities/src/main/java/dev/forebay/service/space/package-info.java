/**
 * Decides which version gets the space of a region, and which versions are evicted for it. All
 * functions are pure. Agents decide with them, and the control plane forecasts and sweeps with
 * them.
 */
@NullMarked
package dev.forebay.service.space;

import org.jspecify.annotations.NullMarked;
