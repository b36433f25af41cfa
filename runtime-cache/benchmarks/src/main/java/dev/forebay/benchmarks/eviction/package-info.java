/** Compares eviction policies on traces of training jobs. */
@NullMarked
package dev.forebay.benchmarks.eviction;

import org.jspecify.annotations.NullMarked;
