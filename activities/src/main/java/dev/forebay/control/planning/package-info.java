/**
 * Forecasts of fills: their sources, admission, duration and cost, and the best region for a job.
 */
@NullMarked
package dev.forebay.control.planning;

import org.jspecify.annotations.NullMarked;
