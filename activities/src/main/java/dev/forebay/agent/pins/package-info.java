/** Pins in a region: their remaining lifetimes, and their end with a Job. */
@NullMarked
package dev.forebay.agent.pins;

import org.jspecify.annotations.NullMarked;
