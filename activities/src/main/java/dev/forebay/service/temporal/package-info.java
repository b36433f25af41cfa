/** The connection to Temporal and the workers of a process, whichever its role. */
@NullMarked
package dev.forebay.service.temporal;

import org.jspecify.annotations.NullMarked;
