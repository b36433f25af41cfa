/** The agent's gateway for the control plane and for other regions. */
@NullMarked
package dev.forebay.agent.gateway;

import org.jspecify.annotations.NullMarked;
