package dev.forebay.service.temporal;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import dev.forebay.devstack.tls.CertificateAuthority;
import dev.forebay.devstack.tls.CertificateAuthority.Issued;
import java.io.IOException;
import java.math.BigInteger;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.security.InvalidKeyException;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

@SuppressWarnings("NullAway.Init")
class ShownCertificateTest {

    @TempDir Path directory;

    private CertificateAuthority authority;
    private Path certificate;
    private Path key;

    @BeforeEach
    void issue() throws IOException {
        authority = CertificateAuthority.in(directory.resolve("authority"));
        certificate = directory.resolve("tls.crt");
        key = directory.resolve("tls.key");
        put(authority.issue("one", "dns:one"));
    }

    private void put(Issued issued) throws IOException {
        replace(issued.certificate(), certificate);
        replace(issued.key(), key);
    }

    private static void replace(Path with, Path file) throws IOException {
        Files.copy(with, file, StandardCopyOption.REPLACE_EXISTING);
    }

    private static BigInteger serial(ShownCertificate shown) {
        return shown.manager().getCertificateChain("default")[0].getSerialNumber();
    }

    @Test
    void aCertificateThatIsRenewedWithTheSameKeyIsShown() throws Exception {
        ShownCertificate shown = new ShownCertificate(certificate, key);
        BigInteger before = serial(shown);
        shown.look();
        assertThat(serial(shown)).isEqualTo(before);

        byte[] sameKey = Files.readAllBytes(key);
        replace(authority.renew("one", "dns:one").certificate(), certificate);
        shown.look();

        assertThat(serial(shown)).isNotEqualTo(before);
        assertThat(Files.readAllBytes(key)).isEqualTo(sameKey);
    }

    @Test
    void untilTheKeyIsThereTooTheOneBeforeIsShown() throws Exception {
        ShownCertificate shown = new ShownCertificate(certificate, key);
        BigInteger before = serial(shown);
        Issued two = authority.issue("two", "dns:two");

        Files.writeString(certificate, "half");
        shown.look();
        assertThat(serial(shown)).isEqualTo(before);
        replace(two.certificate(), certificate);
        shown.look();
        assertThat(serial(shown)).isEqualTo(before);
        Files.delete(key);
        shown.look();
        assertThat(serial(shown)).isEqualTo(before);

        replace(two.key(), key);
        shown.look();
        assertThat(serial(shown)).isNotEqualTo(before);
    }

    @Test
    void onesThatDoNotFitAreRefused() throws Exception {
        replace(authority.issue("two", "dns:two").key(), key);

        assertThatExceptionOfType(InvalidKeyException.class)
                .isThrownBy(() -> new ShownCertificate(certificate, key));
    }
}
