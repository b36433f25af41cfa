/** The options of the command {@code forebay-fuse}. */
@NullMarked
package dev.forebay.fuse.options;

import org.jspecify.annotations.NullMarked;
