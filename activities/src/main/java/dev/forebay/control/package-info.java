/** The control plane: its settings, its start and its stop. */
@NullMarked
package dev.forebay.control;

import org.jspecify.annotations.NullMarked;
