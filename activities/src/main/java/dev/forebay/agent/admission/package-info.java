/**
 * The webhook that changes training pods when they are made: what it changes, as functions of JSON,
 * and how it is served.
 */
@NullMarked
package dev.forebay.agent.admission;

import org.jspecify.annotations.NullMarked;
