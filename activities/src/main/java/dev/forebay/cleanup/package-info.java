/** Removes what a release of the chart has left on objects of its cluster that it does not own. */
@NullMarked
package dev.forebay.cleanup;

import org.jspecify.annotations.NullMarked;
