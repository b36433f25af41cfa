/** The console: pages that show people what the REST API says. */
@NullMarked
package dev.forebay.control.console;

import org.jspecify.annotations.NullMarked;
