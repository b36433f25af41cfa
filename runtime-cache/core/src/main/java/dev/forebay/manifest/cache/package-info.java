/** Manifests on this machine: downloaded once, opened once, and scrubbed. */
@NullMarked
package dev.forebay.manifest.cache;

import org.jspecify.annotations.NullMarked;
