/** Writes the images of the chart, without a container engine. */
@NullMarked
package dev.forebay.images;

import org.jspecify.annotations.NullMarked;
