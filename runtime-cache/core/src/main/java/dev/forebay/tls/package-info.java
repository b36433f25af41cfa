/**
 * Certificates, keys and trusted authorities for TLS, from PEM files that may be replaced while the
 * process runs.
 */
@NullMarked
package dev.forebay.tls;

import org.jspecify.annotations.NullMarked;
