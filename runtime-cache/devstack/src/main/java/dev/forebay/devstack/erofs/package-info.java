/** Mounts EROFS images on this machine, and checks them by the tools of the format's authors. */
@NullMarked
package dev.forebay.devstack.erofs;

import org.jspecify.annotations.NullMarked;
