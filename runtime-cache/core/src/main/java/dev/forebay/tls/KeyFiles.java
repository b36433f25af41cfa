package dev.forebay.tls;

import java.nio.file.Path;

/**
 * The locations of a certificate and its key, both in PEM.
 *
 * @param prefix the common prefix of the two settings' names, such as {@code forebay.etcd.tls.}
 * @param certificate the certificate, followed by the intermediate certificates, if any
 * @param key the certificate's key, not encrypted
 */
public record KeyFiles(String prefix, Path certificate, Path key) {}
