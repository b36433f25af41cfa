/** Calls of Temporal: the workflows of versions, Schedules, and time limits. */
@NullMarked
package dev.forebay.control.temporal;

import org.jspecify.annotations.NullMarked;
