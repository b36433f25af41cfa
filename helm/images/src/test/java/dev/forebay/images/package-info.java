/** Checks the content of the images, and that it runs. */
@NullMarked
package dev.forebay.images;

import org.jspecify.annotations.NullMarked;
