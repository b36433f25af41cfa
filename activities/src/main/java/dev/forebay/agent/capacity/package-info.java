/** The space of a region: what versions take, what is missing, and who is admitted. */
@NullMarked
package dev.forebay.agent.capacity;

import org.jspecify.annotations.NullMarked;
