/** The entry point of the program in all its roles. */
@NullMarked
package dev.forebay;

import org.jspecify.annotations.NullMarked;
