/** Datasets that follow their source. */
@NullMarked
package dev.forebay.control.tracking;

import org.jspecify.annotations.NullMarked;
