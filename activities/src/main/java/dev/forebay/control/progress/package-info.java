/** The progress of fills. */
@NullMarked
package dev.forebay.control.progress;

import org.jspecify.annotations.NullMarked;
