/** Helpers that the integration tests of both roles share. */
@NullMarked
package dev.forebay.testing;

import org.jspecify.annotations.NullMarked;
