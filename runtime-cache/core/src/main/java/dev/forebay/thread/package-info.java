/** What threads that work for as long as their process lives have in common. */
@NullMarked
package dev.forebay.thread;

import org.jspecify.annotations.NullMarked;
