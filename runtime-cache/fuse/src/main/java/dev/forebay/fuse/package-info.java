/** The FUSE pod: options, start, health and end. */
@NullMarked
package dev.forebay.fuse;

import org.jspecify.annotations.NullMarked;
