/** The command {@code devstack}, behind {@code make up}, {@code make down} and the demo. */
@NullMarked
package dev.forebay.devstack.cli;

import org.jspecify.annotations.NullMarked;
