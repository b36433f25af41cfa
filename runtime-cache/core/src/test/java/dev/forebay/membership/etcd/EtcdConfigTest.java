package dev.forebay.membership.etcd;

import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import dev.forebay.model.ForebayException;
import dev.forebay.tls.TlsSettings;
import java.net.URI;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class EtcdConfigTest {

    private static final TlsSettings TRUSTING =
            new TlsSettings(
                    "--etcd-tls-",
                    Optional.of(Path.of("/ca.crt")),
                    Optional.empty(),
                    Optional.empty());

    @ParameterizedTest
    @ValueSource(
            strings = {
                "http://a:2379,https://b:2379",
                "ftp://a:2379",
                "https://a",
                "a:2379",
                "//a:2379",
                "https:2379"
            })
    void invalidOrMixedAddressesAreRefused(String addresses) {
        List<URI> endpoints = Arrays.stream(addresses.split(",")).map(URI::create).toList();

        assertThatExceptionOfType(ForebayException.class)
                .isThrownBy(
                        () -> EtcdConfig.of("--etcd-endpoints", endpoints, TlsSettings.none("x")))
                .withMessage(
                        "--etcd-endpoints must be a list of URIs with scheme http or https, the same"
                                + " for all, host and port, not "
                                + endpoints);
    }

    @Test
    void tlsFilesAreRefusedForHttpEndpoints() {
        assertThatExceptionOfType(ForebayException.class)
                .isThrownBy(
                        () -> EtcdConfig.of("x", List.of(URI.create("http://a:2379")), TRUSTING))
                .withMessageContaining("--etcd-tls-ca, --etcd-tls-certificate and --etcd-tls-key")
                .withMessageContaining("must not be given");
    }

    @Test
    void theErrorNamesAnUnreadableFile() {
        EtcdConfig config = EtcdConfig.of("x", List.of(URI.create("https://a:2379")), TRUSTING);

        assertThatExceptionOfType(ForebayException.class)
                .isThrownBy(() -> new EtcdConnection(config))
                .withMessageContaining("--etcd-tls-ca is /ca.crt: it must contain certificates");
    }
}
