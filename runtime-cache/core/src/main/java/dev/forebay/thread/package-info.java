/** Helpers for threads that run as long as their process. */
@NullMarked
package dev.forebay.thread;

import org.jspecify.annotations.NullMarked;
