/** Makes the images that the chart runs, without a container engine. */
@NullMarked
package dev.forebay.images;

import org.jspecify.annotations.NullMarked;
