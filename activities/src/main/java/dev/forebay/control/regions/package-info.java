/** The regions of this installation, through the gateways of their agents. */
@NullMarked
package dev.forebay.control.regions;

import org.jspecify.annotations.NullMarked;
