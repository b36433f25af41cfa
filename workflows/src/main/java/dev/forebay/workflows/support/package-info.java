/** Stubs of activities and child workflows. */
@NullMarked
package dev.forebay.workflows.support;

import org.jspecify.annotations.NullMarked;
