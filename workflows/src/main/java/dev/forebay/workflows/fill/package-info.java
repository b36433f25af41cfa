/** Fills of regions: the wait for admission, batches, and the coverage that workers report. */
@NullMarked
package dev.forebay.workflows.fill;

import org.jspecify.annotations.NullMarked;
