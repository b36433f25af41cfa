/**
 * The webhook that changes training pods at their creation: the changes, as functions of JSON, and
 * the server.
 */
@NullMarked
package dev.forebay.agent.admission;

import org.jspecify.annotations.NullMarked;
