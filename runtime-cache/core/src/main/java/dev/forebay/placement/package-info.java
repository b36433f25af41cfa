/** Decides which worker holds which chunk. Pure functions of the membership. */
@NullMarked
package dev.forebay.placement;

import org.jspecify.annotations.NullMarked;
