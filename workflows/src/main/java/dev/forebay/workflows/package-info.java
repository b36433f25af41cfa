/** Temporal workflow interfaces and their deterministic implementations. No I/O. */
@NullMarked
package dev.forebay.workflows;

import org.jspecify.annotations.NullMarked;
