/**
 * The lifecycle of a dataset version as a pure state machine: no Temporal, no clock, no I/O. Each
 * event carries its time.
 */
@NullMarked
package dev.forebay.lifecycle;

import org.jspecify.annotations.NullMarked;
