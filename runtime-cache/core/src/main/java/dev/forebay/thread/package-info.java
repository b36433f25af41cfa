/**
 * Starts of threads, repeated and parallel work, and what happens when it fails. Other packages
 * catch no {@link java.lang.Error}.
 */
@NullMarked
package dev.forebay.thread;

import org.jspecify.annotations.NullMarked;
