/** Kubernetes Jobs of the cluster that a region is in; the only place that speaks to its API server. */
@NullMarked
package dev.forebay.agent.jobs;

import org.jspecify.annotations.NullMarked;
