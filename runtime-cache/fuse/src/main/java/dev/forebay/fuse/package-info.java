/**
 * The FUSE pod: options, parts, health and shutdown. {@link Pod} assembles the read path, the views
 * and the transport.
 */
@NullMarked
package dev.forebay.fuse;

import org.jspecify.annotations.NullMarked;
