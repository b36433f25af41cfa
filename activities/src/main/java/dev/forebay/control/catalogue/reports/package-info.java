/** Figures, histories and sums over all versions. */
@NullMarked
package dev.forebay.control.catalogue.reports;

import org.jspecify.annotations.NullMarked;
