/**
 * Kubernetes without kubelets on this machine: the API server, the controllers and the scheduler
 * are real, nodes and what runs on them are played. Whoever uses this brings fabric8's client.
 */
@NullMarked
package dev.forebay.devstack.kubernetes;

import org.jspecify.annotations.NullMarked;
