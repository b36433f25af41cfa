/** What the control plane and the gateway of a regional agent say to each other. */
@NullMarked
package dev.forebay.service.gateway;

import org.jspecify.annotations.NullMarked;
