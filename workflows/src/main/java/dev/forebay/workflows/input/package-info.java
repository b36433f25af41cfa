/** Inputs of workflows, and what a run hands over to the next one. */
@NullMarked
package dev.forebay.workflows.input;

import org.jspecify.annotations.NullMarked;
