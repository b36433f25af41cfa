/** The ingest of a version, and checks of its source for changes. */
@NullMarked
package dev.forebay.workflows.ingest;

import org.jspecify.annotations.NullMarked;
