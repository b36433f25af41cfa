/** The transport through libfuse 2, by jnr-fuse. No other package uses it. */
@NullMarked
package dev.forebay.fuse.jnr;

import org.jspecify.annotations.NullMarked;
