package dev.forebay.tls;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.forebay.devstack.tls.CertificateAuthority;
import dev.forebay.devstack.tls.CertificateAuthority.Issued;
import dev.forebay.model.ErrorCode;
import dev.forebay.model.ForebayException;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.FileTime;
import java.security.KeyFactory;
import java.security.PrivateKey;
import java.security.cert.X509Certificate;
import java.security.interfaces.ECPrivateKey;
import java.security.spec.PKCS8EncodedKeySpec;
import java.time.Duration;
import java.time.Instant;
import java.util.Arrays;
import java.util.Base64;
import java.util.HexFormat;
import java.util.Objects;
import javax.net.ssl.SSLContext;
import javax.net.ssl.SSLEngine;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class RenewedKeyTest {

    private static final String PREFIX = "forebay.worker.tls.";

    /** The header before the PKCS #1 key within the PKCS #8 key, for 2048 bits. */
    private static final int RSA_HEADER_BYTES = 26;

    @TempDir static Path issuing;

    private static CertificateAuthority authority;
    private static Issued first;
    private static Issued second;

    @TempDir Path directory;

    private KeyFiles files;

    /** Once for all tests, because each certificate needs a child process. */
    @BeforeAll
    static void issue() {
        authority = CertificateAuthority.in(issuing);
        first = authority.issue("first", CertificateAuthority.LOOPBACK);
        second = authority.issue("second", CertificateAuthority.LOOPBACK);
    }

    @BeforeEach
    void write() throws Exception {
        files = new KeyFiles(PREFIX, directory.resolve("tls.crt"), directory.resolve("tls.key"));
        write(first);
    }

    @Test
    void aHandshakeKeepsTheKeyOfItsCertificate() throws Exception {
        RenewedKey key = RenewedKey.open(files);
        String before = alias(key);
        X509Certificate shown = certificate(key, before);

        write(second);
        String after = alias(key);

        assertThat(certificate(key, before)).isEqualTo(shown);
        assertThat(certificate(key, after)).isNotEqualTo(shown);
        assertThat(key.getPrivateKey(before)).isNotEqualTo(key.getPrivateKey(after));
        assertThat(key.left())
                .isCloseTo(
                        Duration.between(
                                Instant.now(), certificate(key, after).getNotAfter().toInstant()),
                        Duration.ofMinutes(5));
        assertThat(key.chooseEngineServerAlias("RSA", null, engine())).isNull();
    }

    @Test
    void aClientOffersTheKeyOnlyIfItsTypeIsRequested() throws Exception {
        RenewedKey key = RenewedKey.open(files);

        assertThat(clientAlias(key, "RSA", "EC", "EC")).isEqualTo(alias(key));
        assertThat(clientAlias(key, "RSA")).isNull();
    }

    @Test
    void aCertificateRenewedWithTheSameKeyIsUsed() throws Exception {
        RenewedKey key = RenewedKey.open(files);
        String before = alias(key);

        Issued renewed = authority.renew("first", CertificateAuthority.LOOPBACK);
        Files.write(files.certificate(), Files.readAllBytes(renewed.certificate()));

        String after = Objects.requireNonNull(clientAlias(key, "EC"));
        assertThat(certificate(key, after)).isNotEqualTo(certificate(key, before));
        assertThat(key.getPrivateKey(after)).isEqualTo(key.getPrivateKey(before));
    }

    @Test
    void theKeyStaysInUseWhileItsFilesAreInvalid() throws Exception {
        RenewedKey key = RenewedKey.open(files);
        String before = alias(key);

        Files.delete(files.certificate());
        assertThat(alias(key)).isEqualTo(before);
        Files.writeString(files.certificate(), "half of a certif");
        assertThat(alias(key)).isEqualTo(before);
        Files.write(files.certificate(), Files.readAllBytes(second.certificate()));
        assertThat(alias(key)).isEqualTo(before);

        write(first);
        assertThat(alias(key)).isNotEqualTo(before);
    }

    /** PKCS #8 for both, and the defaults of cert-manager: PKCS #1 for RSA, and SEC 1 for EC. */
    @Test
    void keysMayBePkcs8Pkcs1OrSec1() throws Exception {
        Issued rsa = authority.issueRsa("rsa", CertificateAuthority.LOOPBACK);

        assertThat(algorithm(rsa)).isEqualTo("RSA");
        assertThat(algorithm(first)).isEqualTo("EC");

        byte[] pkcs8 = der(rsa.key());
        byte[] pkcs1 = Arrays.copyOfRange(pkcs8, RSA_HEADER_BYTES, pkcs8.length);
        Files.writeString(rsa.key(), pem("RSA PRIVATE KEY", pkcs1));
        assertThat(algorithm(rsa)).isEqualTo("RSA");

        PrivateKey key =
                KeyFactory.getInstance("EC")
                        .generatePrivate(new PKCS8EncodedKeySpec(der(first.key())));
        Files.writeString(files.key(), pem("EC PRIVATE KEY", sec1((ECPrivateKey) key)));
        assertThat(algorithm(new Issued(first.certificate(), files.key()))).isEqualTo("EC");
    }

    private static String algorithm(Issued issued) {
        return CertifiedKey.read(new KeyFiles(PREFIX, issued.certificate(), issued.key()))
                .key()
                .getAlgorithm();
    }

    private static byte[] der(Path pem) throws IOException {
        return Base64.getMimeDecoder()
                .decode(Files.readString(pem).replaceAll("-----[^-]*-----", ""));
    }

    private static String pem(String what, byte[] der) {
        return "-----BEGIN %s-----\n%s\n-----END %s-----\n"
                .formatted(what, Base64.getMimeEncoder().encodeToString(der), what);
    }

    /** Encodes a key on the curve P-256 by RFC 5915. */
    private static byte[] sec1(ECPrivateKey key) {
        byte[] number = key.getS().toByteArray();
        String secret = HexFormat.of().formatHex(number);
        String padded = "0".repeat(64) + secret;
        return HexFormat.of()
                .parseHex(
                        "30310201010420%sa00a06082a8648ce3d030107"
                                .formatted(padded.substring(padded.length() - 64)));
    }

    @Test
    void aFailedReadIsRetriedEvenIfTheTimestampIsUnchanged() throws Exception {
        RenewedKey key = RenewedKey.open(files);
        String before = alias(key);
        FileTime written = FileTime.fromMillis(1_000_000);

        write(second);
        byte[] readable = Files.readAllBytes(files.key());
        Files.write(files.key(), new byte[readable.length]);
        Files.setLastModifiedTime(files.key(), written);
        assertThat(alias(key)).isEqualTo(before);
        Files.write(files.key(), readable);
        Files.setLastModifiedTime(files.key(), written);

        assertThat(alias(key)).isNotEqualTo(before);
    }

    @Test
    void errorsNameThePropertyAndTheRule() throws Exception {
        Path nowhere = directory.resolve("nowhere");
        Path text = Files.writeString(directory.resolve("text"), "not PEM");

        assertRefused(nowhere, first.key(), "certificate is " + nowhere, "a readable file");
        assertRefused(first.certificate(), nowhere, "key is " + nowhere, "a readable file");
        assertRefused(text, first.key(), "certificate is " + text, "a certificate in PEM");
        assertRefused(
                first.certificate(), text, "key is " + text, "one unencrypted private key in PEM");
        assertRefused(first.certificate(), second.key(), "key is " + second.key(), "belong to the");
    }

    private void write(Issued issued) throws Exception {
        Files.write(files.certificate(), Files.readAllBytes(issued.certificate()));
        Files.write(files.key(), Files.readAllBytes(issued.key()));
    }

    private static String alias(RenewedKey key) throws Exception {
        return Objects.requireNonNull(key.chooseEngineServerAlias("EC", null, engine()));
    }

    private static @Nullable String clientAlias(RenewedKey key, String... kinds) throws Exception {
        return key.chooseEngineClientAlias(kinds, null, engine());
    }

    private static X509Certificate certificate(RenewedKey key, String alias) {
        X509Certificate[] chain = Objects.requireNonNull(key.getCertificateChain(alias));
        assertThat(chain).hasSize(2);
        return chain[0];
    }

    private static SSLEngine engine() throws Exception {
        return SSLContext.getDefault().createSSLEngine();
    }

    private static void assertRefused(Path certificate, Path key, String... says) {
        assertThatThrownBy(() -> RenewedKey.open(new KeyFiles(PREFIX, certificate, key)))
                .isInstanceOfSatisfying(
                        ForebayException.class,
                        e -> assertThat(e.code()).isEqualTo(ErrorCode.INVALID_ARGUMENT))
                .hasMessageContaining(PREFIX)
                .hasMessageContainingAll(says);
    }
}
