/** Finds pinned versions that have lost chunks, and damaged copies. */
@NullMarked
package dev.forebay.agent.repair;

import org.jspecify.annotations.NullMarked;
