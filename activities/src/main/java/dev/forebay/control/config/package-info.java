/** The settings of a control plane. */
@NullMarked
package dev.forebay.control.config;

import org.jspecify.annotations.NullMarked;
