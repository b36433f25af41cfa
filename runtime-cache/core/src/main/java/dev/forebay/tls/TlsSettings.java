package dev.forebay.tls;

import dev.forebay.model.ErrorCode;
import dev.forebay.model.ForebayException;
import java.nio.file.Path;
import java.util.Optional;

/**
 * Where a process finds whom it trusts and what it shows, all in PEM.
 *
 * @param prefix what the names of the three settings begin with, such as {@code forebay.etcd.tls.}
 * @param ca the authorities that sign the other's certificate; else those that the JVM trusts
 * @param certificate one to show, those between it and its authority behind it; else none
 * @param key the certificate's, not encrypted
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
                    "%scertificate and %skey need each other".formatted(prefix, prefix));
        }
    }

    /** Trusts whom the JVM trusts, and shows nothing. */
    public static TlsSettings none(String prefix) {
        return new TlsSettings(prefix, Optional.empty(), Optional.empty(), Optional.empty());
    }

    /** Whether nothing is given. */
    public boolean isEmpty() {
        return ca.isEmpty() && certificate.isEmpty();
    }

    /**
     * Whom to trust, read from its file; empty for those that the JVM trusts.
     *
     * @throws ForebayException {@code INVALID_ARGUMENT} with the setting, its value and the rule
     */
    public Optional<RenewedTrust> trusted() {
        return ca.map(file -> new RenewedTrust(prefix + "ca", file));
    }

    /**
     * What to show, read from its files; empty for nothing.
     *
     * @throws ForebayException {@code INVALID_ARGUMENT} with the setting, its value and the rule
     */
    public Optional<RenewedKey> shown() {
        return certificate.map(
                file -> RenewedKey.open(new KeyFiles(prefix, file, key.orElseThrow())));
    }
}
