package dev.forebay.agent.admission;

import java.io.ByteArrayInputStream;
import java.nio.charset.StandardCharsets;
import java.security.cert.CertificateException;
import java.security.cert.CertificateFactory;
import java.security.cert.X509Certificate;
import java.time.Duration;
import java.time.Instant;
import java.util.Collection;
import java.util.List;
import java.util.Objects;
import java.util.Optional;

/** Reads and checks certificates in PEM. */
final class Certificates {

    private Certificates() {}

    /** Returns the first certificate of a text. Empty if none can be read. */
    static Optional<X509Certificate> read(String pem) {
        try {
            return Optional.of(
                    (X509Certificate)
                            CertificateFactory.getInstance("X.509")
                                    .generateCertificate(
                                            new ByteArrayInputStream(
                                                    pem.getBytes(StandardCharsets.UTF_8))));
        } catch (CertificateException unreadable) {
            return Optional.empty();
        }
    }

    /** Returns whether a certificate is for this name and has at least a third of its life left. */
    static boolean isGood(X509Certificate certificate, String name, Instant now) {
        Instant end = certificate.getNotAfter().toInstant();
        Duration life = Duration.between(certificate.getNotBefore().toInstant(), end);
        return names(certificate).contains(name)
                && Duration.between(now, end).compareTo(life.dividedBy(3)) >= 0;
    }

    static boolean isInForce(X509Certificate certificate, Instant now) {
        return now.isBefore(certificate.getNotAfter().toInstant());
    }

    private static List<Object> names(X509Certificate certificate) {
        try {
            return Optional.ofNullable(certificate.getSubjectAlternativeNames()).stream()
                    .flatMap(Collection::stream)
                    .<Object>map(name -> Objects.requireNonNull(name.get(1)))
                    .toList();
        } catch (CertificateException unreadable) {
            return List.of();
        }
    }
}
