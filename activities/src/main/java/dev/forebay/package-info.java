/** Where the program starts, whatever it is to be. */
@NullMarked
package dev.forebay;

import org.jspecify.annotations.NullMarked;
