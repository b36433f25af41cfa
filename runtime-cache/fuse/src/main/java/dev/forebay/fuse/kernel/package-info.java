/**
 * The transport that speaks the FUSE kernel protocol itself, on {@code /dev/fuse}: large requests,
 * READDIRPLUS, no request for an open file, and nothing in it that a successor could not take over
 * in the middle of a request.
 */
@NullMarked
package dev.forebay.fuse.kernel;

import org.jspecify.annotations.NullMarked;
