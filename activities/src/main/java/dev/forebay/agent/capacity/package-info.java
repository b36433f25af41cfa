/** The space of a region: its use by versions, missing ranges, and admission. */
@NullMarked
package dev.forebay.agent.capacity;

import org.jspecify.annotations.NullMarked;
