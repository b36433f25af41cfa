/** The connection of a process to the API server of Kubernetes, whichever its role. */
@NullMarked
package dev.forebay.service.kubernetes;

import org.jspecify.annotations.NullMarked;
