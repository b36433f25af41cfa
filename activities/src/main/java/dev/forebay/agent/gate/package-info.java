/**
 * The gate at which training pods wait until their version is in the region: its decisions and
 * their timing.
 */
@NullMarked
package dev.forebay.agent.gate;

import org.jspecify.annotations.NullMarked;
