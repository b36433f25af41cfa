package dev.forebay.tls;

import dev.forebay.model.ErrorCode;
import dev.forebay.model.ForebayException;
import java.io.IOException;
import java.io.InputStream;
import java.net.Socket;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.GeneralSecurityException;
import java.security.KeyStore;
import java.security.cert.Certificate;
import java.security.cert.CertificateException;
import java.security.cert.CertificateFactory;
import java.security.cert.X509Certificate;
import java.util.Collection;
import javax.net.ssl.SSLContext;
import javax.net.ssl.SSLEngine;
import javax.net.ssl.TrustManager;
import javax.net.ssl.TrustManagerFactory;
import javax.net.ssl.X509ExtendedTrustManager;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Trust manager of clients that trusts the authorities in a file, and no others. The file may be
 * replaced while the process runs: each handshake that presents a certificate checks for that. If
 * the new file cannot be read, the previous authorities stay trusted, and the next handshake tries
 * again.
 *
 * <p>A resumed session presents no certificate, so it continues unchecked. Thread-safe.
 */
public final class RenewedTrust extends X509ExtendedTrustManager {

    private static final Logger LOG = LoggerFactory.getLogger(RenewedTrust.class);

    private final String setting;
    private final Path file;
    private FileMark used;
    private @Nullable FileMark refused;
    private X509ExtendedTrustManager current;

    /**
     * Reads the file, which holds one or more certificates in PEM.
     *
     * @param setting the name of the setting with the file, for messages
     * @throws ForebayException {@code INVALID_ARGUMENT} if the file cannot be read or holds no
     *     certificate
     */
    public RenewedTrust(String setting, Path file) {
        this.setting = setting;
        this.file = file;
        this.used = FileMark.of(file);
        this.current = read();
    }

    /**
     * Returns a context for client connections that trusts these authorities and presents no
     * certificate.
     */
    public SSLContext context() {
        try {
            SSLContext context = SSLContext.getInstance("TLS");
            context.init(null, new TrustManager[] {this}, null);
            return context;
        } catch (GeneralSecurityException e) {
            throw new ForebayException(ErrorCode.INTERNAL, "cannot set up TLS", e);
        }
    }

    private synchronized X509ExtendedTrustManager current() {
        FileMark now = FileMark.of(file);
        if (!now.equals(used)) {
            try {
                current = read();
                used = now;
                LOG.info("{}: using the authorities that are now in {}", setting, file);
            } catch (ForebayException e) {
                if (!now.equals(refused)) {
                    LOG.warn(
                            "Cannot read new authorities, so the old ones stay in use: {}",
                            e.getMessage());
                    refused = now;
                }
            }
        }
        return current;
    }

    private X509ExtendedTrustManager read() {
        try {
            Collection<? extends Certificate> certificates = certificates(file);
            if (certificates.isEmpty()) {
                throw refused("it contains none", null);
            }
            return trusting(certificates);
        } catch (IOException | GeneralSecurityException e) {
            throw refused(e.toString(), e);
        }
    }

    private ForebayException refused(String why, @Nullable Exception cause) {
        return new ForebayException(
                ErrorCode.INVALID_ARGUMENT,
                "%s is %s: it must contain certificates of authorities in PEM, but %s"
                        .formatted(setting, file, why),
                cause);
    }

    private static Collection<? extends Certificate> certificates(Path file)
            throws IOException, GeneralSecurityException {
        try (InputStream in = Files.newInputStream(file)) {
            return CertificateFactory.getInstance("X.509").generateCertificates(in);
        }
    }

    private static X509ExtendedTrustManager trusting(Collection<? extends Certificate> certificates)
            throws IOException, GeneralSecurityException {
        KeyStore trusted = KeyStore.getInstance(KeyStore.getDefaultType());
        trusted.load(null, null);
        for (Certificate each : certificates) {
            trusted.setCertificateEntry("authority-" + trusted.size(), each);
        }
        TrustManagerFactory factory =
                TrustManagerFactory.getInstance(TrustManagerFactory.getDefaultAlgorithm());
        factory.init(trusted);
        for (TrustManager each : factory.getTrustManagers()) {
            if (each instanceof X509ExtendedTrustManager manager) {
                return manager;
            }
        }
        throw new GeneralSecurityException("the JVM has no trust manager for X.509");
    }

    @Override
    public void checkServerTrusted(X509Certificate[] chain, String authType, SSLEngine engine)
            throws CertificateException {
        current().checkServerTrusted(chain, authType, engine);
    }

    @Override
    public void checkServerTrusted(X509Certificate[] chain, String authType, Socket socket)
            throws CertificateException {
        current().checkServerTrusted(chain, authType, socket);
    }

    @Override
    public void checkServerTrusted(X509Certificate[] chain, String authType)
            throws CertificateException {
        current().checkServerTrusted(chain, authType);
    }

    @Override
    public void checkClientTrusted(X509Certificate[] chain, String authType, SSLEngine engine)
            throws CertificateException {
        throw new CertificateException("for servers only");
    }

    @Override
    public void checkClientTrusted(X509Certificate[] chain, String authType, Socket socket)
            throws CertificateException {
        throw new CertificateException("for servers only");
    }

    @Override
    public void checkClientTrusted(X509Certificate[] chain, String authType)
            throws CertificateException {
        throw new CertificateException("for servers only");
    }

    /** Returns none: only servers send this list to their peers. */
    @Override
    public X509Certificate[] getAcceptedIssuers() {
        return new X509Certificate[0];
    }
}
