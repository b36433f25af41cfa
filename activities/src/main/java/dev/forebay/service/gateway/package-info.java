/** The messages between the control plane and the gateway of a region's agent. */
@NullMarked
package dev.forebay.service.gateway;

import org.jspecify.annotations.NullMarked;
