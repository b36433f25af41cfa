/**
 * The lifecycle of a dataset version as a pure state machine: no Temporal, no clock, no I/O. Time
 * comes in with each event.
 */
@NullMarked
package dev.forebay.lifecycle;

import org.jspecify.annotations.NullMarked;
