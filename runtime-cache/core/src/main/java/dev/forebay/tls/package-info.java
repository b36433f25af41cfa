/** What TLS shows and trusts, from files in PEM that may be replaced while they are used. */
@NullMarked
package dev.forebay.tls;

import org.jspecify.annotations.NullMarked;
