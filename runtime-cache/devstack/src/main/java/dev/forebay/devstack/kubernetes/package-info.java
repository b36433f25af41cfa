/**
 * Kubernetes without kubelets on this machine. The API server, the controllers and the scheduler
 * are real; nodes and pods are simulated. Users of this package must add fabric8's client to their
 * class path.
 */
@NullMarked
package dev.forebay.devstack.kubernetes;

import org.jspecify.annotations.NullMarked;
