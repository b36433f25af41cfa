/** The transport through libfuse 2 by way of jnr-fuse. The only package that knows it. */
@NullMarked
package dev.forebay.fuse.jnr;

import org.jspecify.annotations.NullMarked;
