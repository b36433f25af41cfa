/** Compares Forebay with programs that users would have without it, on one machine, in one run. */
@NullMarked
package dev.forebay.benchmarks;

import org.jspecify.annotations.NullMarked;
