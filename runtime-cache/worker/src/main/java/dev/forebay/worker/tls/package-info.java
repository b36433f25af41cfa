/** What a worker that speaks TLS shows: its certificate, and a newer one when there is one. */
@NullMarked
package dev.forebay.worker.tls;

import org.jspecify.annotations.NullMarked;
