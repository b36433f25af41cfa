/** The connection to Temporal and the polling of task queues, for both roles. */
@NullMarked
package dev.forebay.service.temporal;

import org.jspecify.annotations.NullMarked;
