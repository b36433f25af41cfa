package dev.forebay.tls;

import dev.forebay.model.ErrorCode;
import dev.forebay.model.ForebayException;
import java.nio.file.Path;
import java.util.Optional;

/**
 * The locations of the files that a process needs for TLS, all in PEM.
 *
 * @param prefix the common prefix of the three settings' names, such as {@code forebay.etcd.tls.}
 * @param ca the authorities that sign the peer's certificate; empty for those that the JVM trusts
 * @param certificate the certificate to present, followed by the intermediate certificates; empty
 *     to present none
 * @param key the certificate's key, not encrypted
 */
public record TlsSettings(
        String prefix, Optional<Path> ca, Optional<Path> certificate, Optional<Path> key) {

    /**
     * Checks that certificate and key are given together.
     *
     * @throws ForebayException {@code INVALID_ARGUMENT} with the names of both
     */
    public TlsSettings {
        if (certificate.isPresent() != key.isPresent()) {
            throw new ForebayException(
                    ErrorCode.INVALID_ARGUMENT,
                    "%scertificate and %skey must be set together".formatted(prefix, prefix));
        }
    }

    /** Returns settings that trust the JVM's authorities and present no certificate. */
    public static TlsSettings none(String prefix) {
        return new TlsSettings(prefix, Optional.empty(), Optional.empty(), Optional.empty());
    }

    /** Returns whether no file is set. */
    public boolean isEmpty() {
        return ca.isEmpty() && certificate.isEmpty();
    }

    /**
     * Returns the authorities to trust, read from their file. Empty for those that the JVM trusts.
     *
     * @throws ForebayException {@code INVALID_ARGUMENT} with the setting, its value and the rule
     */
    public Optional<RenewedTrust> trusted() {
        return ca.map(file -> new RenewedTrust(prefix + "ca", file));
    }

    /**
     * Returns the certificate to present, read from its files. Empty to present none.
     *
     * @throws ForebayException {@code INVALID_ARGUMENT} with the setting, its value and the rule
     */
    public Optional<RenewedKey> shown() {
        return certificate.map(
                file -> RenewedKey.open(new KeyFiles(prefix, file, key.orElseThrow())));
    }
}
