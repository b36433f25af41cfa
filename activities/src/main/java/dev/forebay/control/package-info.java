/** The control plane: its settings, start and stop. */
@NullMarked
package dev.forebay.control;

import org.jspecify.annotations.NullMarked;
