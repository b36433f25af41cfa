package dev.forebay.service.temporal;

import static java.nio.charset.StandardCharsets.US_ASCII;

import io.grpc.util.AdvancedTlsX509KeyManager;
import io.grpc.util.CertificateUtils;
import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.GeneralSecurityException;
import java.security.InvalidKeyException;
import java.security.PrivateKey;
import java.security.PublicKey;
import java.security.Signature;
import java.security.cert.CertificateException;
import java.security.cert.X509Certificate;
import javax.net.ssl.X509ExtendedKeyManager;
import org.jboss.logging.Logger;

/**
 * A certificate and its key, from files that are replaced, one or both. What cannot be read, or
 * does not fit, as one that is only half written, leaves what is shown, and is looked at again.
 * {@link #look} is for one thread.
 */
final class ShownCertificate {

    private static final Logger LOG = Logger.getLogger(ShownCertificate.class);

    /** A chain is a few KiB. */
    private static final int MOST_BYTES = 1 << 20;

    private final Path certificate;
    private final Path key;
    private final AdvancedTlsX509KeyManager shown = new AdvancedTlsX509KeyManager();
    private Pem current;

    /** What is in the files. */
    private record Pem(String certificate, String key) {

        InputStream certificates() {
            return new ByteArrayInputStream(certificate.getBytes(US_ASCII));
        }

        InputStream signer() {
            return new ByteArrayInputStream(key.getBytes(US_ASCII));
        }
    }

    /**
     * Reads both.
     *
     * @throws IOException if a file cannot be read
     * @throws GeneralSecurityException if they hold no certificate and its key
     */
    ShownCertificate(Path certificate, Path key) throws IOException, GeneralSecurityException {
        this.certificate = certificate;
        this.key = key;
        this.current = read();
        show(current);
    }

    /** Who shows it to others. Safe for use by many threads. */
    X509ExtendedKeyManager manager() {
        return shown;
    }

    /** Shows what is in the files from now on, if that has changed and can be shown. */
    void look() {
        try {
            Pem there = read();
            if (!there.equals(current)) {
                show(there);
                current = there;
                LOG.infof("The certificate in %s is shown to Temporal from now on", certificate);
            }
        } catch (IOException | GeneralSecurityException | RuntimeException e) {
            LOG.warnf(
                    "%s and %s (forebay.temporal.tls.certificate, forebay.temporal.tls.key) hold no"
                            + " certificate and its key now; the one before is still shown: %s",
                    certificate, key, e.getMessage());
        }
    }

    private Pem read() throws IOException {
        return new Pem(read(certificate), read(key));
    }

    private static String read(Path file) throws IOException {
        try (InputStream in = Files.newInputStream(file)) {
            byte[] bytes = in.readNBytes(MOST_BYTES + 1);
            if (bytes.length > MOST_BYTES) {
                throw new IOException("%s has more than %d bytes".formatted(file, MOST_BYTES));
            }
            return new String(bytes, US_ASCII);
        }
    }

    private void show(Pem pem) throws IOException, GeneralSecurityException {
        X509Certificate[] chain = CertificateUtils.getX509Certificates(pem.certificates());
        if (chain.length == 0) {
            throw new CertificateException("no certificate in " + certificate);
        }
        PrivateKey signer = CertificateUtils.getPrivateKey(pem.signer());
        requireFit(chain[0].getPublicKey(), signer);
        shown.updateIdentityCredentials(chain, signer);
    }

    private static void requireFit(PublicKey published, PrivateKey signer)
            throws GeneralSecurityException {
        String algorithm =
                switch (signer.getAlgorithm()) {
                    case "RSA" -> "SHA256withRSA";
                    case "EC" -> "SHA256withECDSA";
                    default ->
                            throw new InvalidKeyException(
                                    "the key is %s and must be RSA or EC"
                                            .formatted(signer.getAlgorithm()));
                };
        byte[] something = {1};
        Signature signing = Signature.getInstance(algorithm);
        signing.initSign(signer);
        signing.update(something);
        byte[] signed = signing.sign();
        Signature verifying = Signature.getInstance(algorithm);
        verifying.initVerify(published);
        verifying.update(something);
        if (!verifying.verify(signed)) {
            throw new InvalidKeyException("the key is another certificate's");
        }
    }
}
