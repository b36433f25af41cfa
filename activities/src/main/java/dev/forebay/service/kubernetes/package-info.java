/** The connection to the Kubernetes API server, for both roles. */
@NullMarked
package dev.forebay.service.kubernetes;

import org.jspecify.annotations.NullMarked;
