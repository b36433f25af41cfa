/** Hands the chunks of a worker that leaves for good to their next owners. */
@NullMarked
package dev.forebay.worker.handover;

import org.jspecify.annotations.NullMarked;
