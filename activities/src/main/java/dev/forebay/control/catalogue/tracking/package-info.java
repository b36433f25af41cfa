/** Datasets that follow their source, as they are stored. */
@NullMarked
package dev.forebay.control.catalogue.tracking;

import org.jspecify.annotations.NullMarked;
