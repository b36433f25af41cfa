/** Stubs of activities and child workflows, and the changes of code that a run knows. */
@NullMarked
package dev.forebay.workflows.support;

import org.jspecify.annotations.NullMarked;
