/**
 * EROFS images on this machine: mounted through the kernel, and checked by the tools of the
 * format's authors.
 */
@NullMarked
package dev.forebay.devstack.erofs;

import org.jspecify.annotations.NullMarked;
