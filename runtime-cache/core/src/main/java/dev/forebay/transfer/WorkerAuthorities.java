package dev.forebay.transfer;

import dev.forebay.model.ErrorCode;
import dev.forebay.model.ForebayException;
import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.GeneralSecurityException;
import java.security.KeyStore;
import java.security.cert.Certificate;
import java.security.cert.CertificateFactory;
import java.util.Collection;
import javax.net.ssl.SSLContext;
import javax.net.ssl.TrustManagerFactory;
import org.jspecify.annotations.Nullable;

/**
 * The certificate authorities whose signature on a worker's certificate counts, and no others, when
 * {@code forebay.worker-ca} is set. Immutable.
 */
public final class WorkerAuthorities {

    private final Path file;
    private final SSLContext context;

    private WorkerAuthorities(Path file, SSLContext context) {
        this.file = file;
        this.context = context;
    }

    /**
     * Reads certificates in PEM, one or more after one another.
     *
     * @param setting the name under which the file was given, for the message
     * @throws ForebayException {@code INVALID_ARGUMENT} if the file cannot be read or holds no
     *     certificate
     */
    public static WorkerAuthorities read(String setting, Path file) {
        try {
            Collection<? extends Certificate> certificates = certificates(file);
            if (certificates.isEmpty()) {
                throw refused(setting, file, "it holds none", null);
            }
            return new WorkerAuthorities(file, context(certificates));
        } catch (IOException | GeneralSecurityException e) {
            throw refused(setting, file, e.toString(), e);
        }
    }

    /** For connections to workers. */
    SSLContext context() {
        return context;
    }

    @Override
    public String toString() {
        return file.toString();
    }

    private static Collection<? extends Certificate> certificates(Path file)
            throws IOException, GeneralSecurityException {
        try (InputStream in = Files.newInputStream(file)) {
            return CertificateFactory.getInstance("X.509").generateCertificates(in);
        }
    }

    private static SSLContext context(Collection<? extends Certificate> certificates)
            throws IOException, GeneralSecurityException {
        KeyStore trusted = KeyStore.getInstance(KeyStore.getDefaultType());
        trusted.load(null, null);
        for (Certificate each : certificates) {
            trusted.setCertificateEntry("authority-" + trusted.size(), each);
        }
        TrustManagerFactory factory =
                TrustManagerFactory.getInstance(TrustManagerFactory.getDefaultAlgorithm());
        factory.init(trusted);
        SSLContext context = SSLContext.getInstance("TLS");
        context.init(null, factory.getTrustManagers(), null);
        return context;
    }

    private static ForebayException refused(
            String setting, Path file, String why, @Nullable Throwable e) {
        String message =
                "%s is %s: it must hold certificates of authorities in PEM, but %s"
                        .formatted(setting, file, why);
        return e == null
                ? new ForebayException(ErrorCode.INVALID_ARGUMENT, message)
                : new ForebayException(ErrorCode.INVALID_ARGUMENT, message, e);
    }
}
