/** The servers, datasets and mounts that benchmarks run on, and the programs that they compare. */
@NullMarked
package dev.forebay.benchmarks.stack;

import org.jspecify.annotations.NullMarked;
