/**
 * Kubernetes objects of a region's cluster: Jobs, pods, Workloads, nodes and the webhook. Only this
 * package of the agent speaks to the API server.
 */
@NullMarked
package dev.forebay.agent.jobs;

import org.jspecify.annotations.NullMarked;
