/** The client side of the workflows, and the activities that run in the control plane. */
@NullMarked
package dev.forebay.control.engine;

import org.jspecify.annotations.NullMarked;
