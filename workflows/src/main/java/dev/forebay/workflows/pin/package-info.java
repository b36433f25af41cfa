/** Pins: who requested them, and until when they are held. */
@NullMarked
package dev.forebay.workflows.pin;

import org.jspecify.annotations.NullMarked;
