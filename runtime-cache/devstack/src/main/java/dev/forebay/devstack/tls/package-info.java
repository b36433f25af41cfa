/** Certificates for servers on this machine. */
@NullMarked
package dev.forebay.devstack.tls;

import org.jspecify.annotations.NullMarked;
