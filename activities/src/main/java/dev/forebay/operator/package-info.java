/**
 * Datasets as a Kubernetes cluster declares them: a custom resource is compared with what the
 * control plane says, and the difference is asked for, through the REST API that everybody uses.
 */
@NullMarked
package dev.forebay.operator;

import org.jspecify.annotations.NullMarked;
