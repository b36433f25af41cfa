/** The workers of a region, and questions to all of them. */
@NullMarked
package dev.forebay.agent.workers;

import org.jspecify.annotations.NullMarked;
