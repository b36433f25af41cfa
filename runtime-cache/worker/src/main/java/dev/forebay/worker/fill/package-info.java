/**
 * Fills missing chunks: once per chunk for all callers, from other workers, sibling regions or the
 * lake. Blocks; independent of HTTP and Quarkus.
 */
@NullMarked
package dev.forebay.worker.fill;

import org.jspecify.annotations.NullMarked;
