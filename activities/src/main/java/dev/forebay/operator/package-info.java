/**
 * The Kubernetes operator. It compares declared Datasets with the state of the control plane, and
 * requests the difference through the public REST API.
 */
@NullMarked
package dev.forebay.operator;

import org.jspecify.annotations.NullMarked;
