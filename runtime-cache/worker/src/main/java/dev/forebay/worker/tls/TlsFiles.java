package dev.forebay.worker.tls;

import java.nio.file.Path;

/**
 * Where the certificate and its key are, both in PEM.
 *
 * @param certificate of the worker, followed by those between it and the authority, if any
 * @param key of the certificate, not encrypted
 */
public record TlsFiles(Path certificate, Path key) {}
