/** Manifests as SQLite files: their schema, checksums and queries. */
@NullMarked
package dev.forebay.manifest.sqlite;

import org.jspecify.annotations.NullMarked;
