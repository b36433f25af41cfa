/**
 * Who gets the space of a region: the one rule for reservations, and the one choice of victims.
 * Pure functions. Agents decide with them, and the control plane forecasts and sweeps with them.
 */
@NullMarked
package dev.forebay.service.space;

import org.jspecify.annotations.NullMarked;
