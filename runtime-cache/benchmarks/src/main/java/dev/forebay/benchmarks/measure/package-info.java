/** Measures what a benchmark runs, and writes, compares and judges the figures. */
@NullMarked
package dev.forebay.benchmarks.measure;

import org.jspecify.annotations.NullMarked;
