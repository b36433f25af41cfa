/**
 * The gate at which training pods wait until their version is warm: what is done with whom, and
 * when.
 */
@NullMarked
package dev.forebay.agent.gate;

import org.jspecify.annotations.NullMarked;
