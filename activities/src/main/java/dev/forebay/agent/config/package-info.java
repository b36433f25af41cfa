/** The settings of an agent. */
@NullMarked
package dev.forebay.agent.config;

import org.jspecify.annotations.NullMarked;
