package dev.forebay.tls;

import dev.forebay.model.ErrorCode;
import dev.forebay.model.ForebayException;
import io.vertx.core.buffer.Buffer;
import io.vertx.core.net.impl.KeyStoreHelper;
import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.GeneralSecurityException;
import java.security.KeyStore;
import java.security.PrivateKey;
import java.security.Signature;
import java.security.cert.CertificateException;
import java.security.cert.CertificateFactory;
import java.security.cert.X509Certificate;
import java.util.List;

/** A private key with its certificate chain. Immutable. Never prints the key. */
final class CertifiedKey {

    private static final byte[] ANYTHING = {4, 2};

    private final PrivateKey key;
    private final X509Certificate[] chain;

    private CertifiedKey(PrivateKey key, X509Certificate[] chain) {
        this.key = key;
        this.chain = chain;
    }

    /**
     * Reads both files and checks that they belong together.
     *
     * @throws ForebayException {@code INVALID_ARGUMENT} with the setting, its value and the rule
     */
    static CertifiedKey read(KeyFiles files) {
        String certificateSetting = files.prefix() + "certificate";
        String keySetting = files.prefix() + "key";
        Buffer certificate = bytes(certificateSetting, files.certificate());
        Buffer key = bytes(keySetting, files.key());
        X509Certificate[] chain = chain(certificateSetting, files.certificate(), certificate);
        CertifiedKey read =
                new CertifiedKey(privateKey(keySetting, files.key(), key, certificate), chain);
        if (!read.belongTogether()) {
            throw refused(keySetting, files.key(), "belong to the certificate");
        }
        return read;
    }

    PrivateKey key() {
        return key;
    }

    /** Returns the certificate, followed by the intermediate certificates. */
    X509Certificate[] chain() {
        return chain.clone();
    }

    X509Certificate certificate() {
        return chain[0];
    }

    /** Returns the key's algorithm, {@code RSA} or {@code EC}. */
    String algorithm() {
        return chain[0].getPublicKey().getAlgorithm();
    }

    private static Buffer bytes(String setting, Path file) {
        try {
            return Buffer.buffer(Files.readAllBytes(file));
        } catch (IOException e) {
            throw refused(setting, file, "be a readable file, but: " + e);
        }
    }

    private static X509Certificate[] chain(String setting, Path file, Buffer pem) {
        try {
            X509Certificate[] chain =
                    CertificateFactory.getInstance("X.509")
                            .generateCertificates(new ByteArrayInputStream(pem.getBytes()))
                            .toArray(X509Certificate[]::new);
            if (chain.length > 0) {
                return chain;
            }
        } catch (CertificateException notPem) {
            // Reported below.
        }
        throw refused(setting, file, "contain a certificate in PEM");
    }

    private static PrivateKey privateKey(
            String setting, Path file, Buffer pem, Buffer certificate) {
        try {
            KeyStore store = KeyStoreHelper.loadKeyCert(List.of(pem), List.of(certificate));
            char[] password = KeyStoreHelper.DUMMY_PASSWORD.toCharArray();
            if (store.getKey(store.aliases().nextElement(), password) instanceof PrivateKey key) {
                return key;
            }
        } catch (Exception notOneKey) {
            // Reported below, without the cause: a parser's message could quote parts of the key.
        }
        throw refused(setting, file, "contain one unencrypted private key in PEM, RSA or EC");
    }

    /** Returns whether the certificate's public key verifies what the private key signs. */
    private boolean belongTogether() {
        try {
            Signature signature = Signature.getInstance(signatureAlgorithm());
            signature.initSign(key);
            signature.update(ANYTHING);
            byte[] signed = signature.sign();
            signature.initVerify(chain[0].getPublicKey());
            signature.update(ANYTHING);
            return signature.verify(signed);
        } catch (GeneralSecurityException otherKindsOfKey) {
            return false;
        }
    }

    private String signatureAlgorithm() {
        return switch (algorithm()) {
            case "RSA" -> "SHA256withRSA";
            case "EC" -> "SHA256withECDSA";
            default -> algorithm();
        };
    }

    private static ForebayException refused(String setting, Path file, String rule) {
        return new ForebayException(
                ErrorCode.INVALID_ARGUMENT, "%s is %s: it must %s".formatted(setting, file, rule));
    }
}
