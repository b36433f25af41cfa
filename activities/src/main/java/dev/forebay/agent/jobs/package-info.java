/**
 * Jobs of the cluster that a region is in, their pods, the webhook that these pass, and the nodes
 * that they run on; the only place of an agent that speaks to its API server.
 */
@NullMarked
package dev.forebay.agent.jobs;

import org.jspecify.annotations.NullMarked;
