/**
 * Decides which chunks this worker keeps and drops. Tracks mounted versions and packs under pins,
 * and removes chunks that no version needs any more.
 */
@NullMarked
package dev.forebay.worker.retention;

import org.jspecify.annotations.NullMarked;
