/**
 * Takes back what a release of the chart has left on objects of its cluster that are not its own.
 */
@NullMarked
package dev.forebay.cleanup;

import org.jspecify.annotations.NullMarked;
