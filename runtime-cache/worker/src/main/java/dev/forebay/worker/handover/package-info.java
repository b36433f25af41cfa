/** How the chunks of a worker that leaves for good get to those that own them then. */
@NullMarked
package dev.forebay.worker.handover;

import org.jspecify.annotations.NullMarked;
