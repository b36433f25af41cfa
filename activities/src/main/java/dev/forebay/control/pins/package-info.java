/**
 * Pins as the control plane sees them: renewals, expiries, and pins whose owner seems to be gone.
 */
@NullMarked
package dev.forebay.control.pins;

import org.jspecify.annotations.NullMarked;
