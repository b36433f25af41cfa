/** The workflow of a version: its requests, receipts, display and end of run. */
@NullMarked
package dev.forebay.workflows.version;

import org.jspecify.annotations.NullMarked;
