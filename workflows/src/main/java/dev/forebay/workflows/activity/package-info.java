/** The activities that workflows call, implemented in the {@code activities} module. */
@NullMarked
package dev.forebay.workflows.activity;

import org.jspecify.annotations.NullMarked;
