/** The agent's tasks in its cluster: node labels, training pods and Kueue. */
@NullMarked
package dev.forebay.agent.kubernetes;

import org.jspecify.annotations.NullMarked;
