/** Measures Forebay beside what one would use without it, on one machine, in one run. */
@NullMarked
package dev.forebay.benchmarks;

import org.jspecify.annotations.NullMarked;
