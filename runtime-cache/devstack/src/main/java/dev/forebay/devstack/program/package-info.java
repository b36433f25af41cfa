/** The command lines of Forebay's own programs, and the AOT caches that make them start quickly. */
@NullMarked
package dev.forebay.devstack.program;

import org.jspecify.annotations.NullMarked;
