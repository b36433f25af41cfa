/** Requests about datasets. */
@NullMarked
package dev.forebay.control.api.datasets;

import org.jspecify.annotations.NullMarked;
