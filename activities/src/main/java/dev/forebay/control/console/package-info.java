/** The console: web pages that show what the REST API returns. */
@NullMarked
package dev.forebay.control.console;

import org.jspecify.annotations.NullMarked;
