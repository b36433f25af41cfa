/** What is in the images, and whether it runs. */
@NullMarked
package dev.forebay.images;

import org.jspecify.annotations.NullMarked;
