/**
 * Jobs of the cluster that a region is in, their pods, and the webhook that these pass; the only
 * place of an agent that speaks to its API server.
 */
@NullMarked
package dev.forebay.agent.jobs;

import org.jspecify.annotations.NullMarked;
