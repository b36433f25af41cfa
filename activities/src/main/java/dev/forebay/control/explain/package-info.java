/** Explains why a version is, or is not, in a region. */
@NullMarked
package dev.forebay.control.explain;

import org.jspecify.annotations.NullMarked;
