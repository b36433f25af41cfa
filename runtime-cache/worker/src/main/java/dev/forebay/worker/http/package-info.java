/**
 * The worker protocol's server side: checks what comes in, hands it to virtual threads, and writes
 * answers and problems. The only package that knows Vert.x.
 */
@NullMarked
package dev.forebay.worker.http;

import org.jspecify.annotations.NullMarked;
