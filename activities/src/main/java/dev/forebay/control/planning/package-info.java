/**
 * Forecasts: from where a region fills a version, whether it admits it, how long that takes, what
 * it costs, and which region suits a job.
 */
@NullMarked
package dev.forebay.control.planning;

import org.jspecify.annotations.NullMarked;
