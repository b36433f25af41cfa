/** Makes versions: lists sources into manifests, and keeps a pointer to each manifest. */
@NullMarked
package dev.forebay.control.ingest;

import org.jspecify.annotations.NullMarked;
