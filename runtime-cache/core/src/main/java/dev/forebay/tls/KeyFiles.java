package dev.forebay.tls;

import java.nio.file.Path;

/**
 * Where a certificate and its key are, both in PEM.
 *
 * @param prefix what the names of the two settings begin with, such as {@code forebay.etcd.tls.}
 * @param certificate followed by those between it and the authority, if any
 * @param key of the certificate, not encrypted
 */
public record KeyFiles(String prefix, Path certificate, Path key) {}
