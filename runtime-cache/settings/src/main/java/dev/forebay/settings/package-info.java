/** What the Quarkus programs share at their start: checks of settings, and errors in one line. */
@NullMarked
package dev.forebay.settings;

import org.jspecify.annotations.NullMarked;
