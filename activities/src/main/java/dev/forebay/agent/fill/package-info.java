/** Fills ranges of chunks through the workers that own them. */
@NullMarked
package dev.forebay.agent.fill;

import org.jspecify.annotations.NullMarked;
