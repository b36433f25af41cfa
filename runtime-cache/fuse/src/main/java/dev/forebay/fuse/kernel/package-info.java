/**
 * The transport that speaks the FUSE kernel protocol itself, on {@code /dev/fuse}. It uses large
 * requests and READDIRPLUS, and needs no request to open a file. It has no state that a successor
 * would need in the middle of a request.
 */
@NullMarked
package dev.forebay.fuse.kernel;

import org.jspecify.annotations.NullMarked;
