/** Which copies have to go from a region, and why: pure functions of what is known of it. */
@NullMarked
package dev.forebay.control.sweep;

import org.jspecify.annotations.NullMarked;
