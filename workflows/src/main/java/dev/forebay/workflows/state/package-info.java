/** The state of a version's workflow, its history, and waits with a timeout. */
@NullMarked
package dev.forebay.workflows.state;

import org.jspecify.annotations.NullMarked;
