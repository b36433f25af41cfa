package dev.forebay.fuse.options;

import dev.forebay.membership.etcd.EtcdConfig;
import dev.forebay.model.ForebayException;
import dev.forebay.tls.TlsSettings;
import java.net.URI;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Option;

/** The options for the connection to the region's etcd. */
@SuppressWarnings("NullAway.Init") // picocli sets the required one or refuses to start
public final class EtcdOptions {

    @Option(
            names = "--etcd-endpoints",
            required = true,
            split = ",",
            defaultValue = "${env:FOREBAY_ETCD_ENDPOINTS}",
            paramLabel = "URI",
            description = "Addresses of the region's etcd, comma-separated. FOREBAY_ETCD_ENDPOINTS")
    private List<URI> endpoints;

    @Option(
            names = "--etcd-tls-ca",
            defaultValue =
                    "${env:FOREBAY_ETCD_TLS_CA:-" + picocli.CommandLine.Option.NULL_VALUE + "}",
            paramLabel = "FILE",
            description =
                    "The authorities, in PEM, that sign the certificates of an etcd with https. "
                            + "Default: those of the JVM. FOREBAY_ETCD_TLS_CA")
    private @Nullable Path authorities;

    @Option(
            names = "--etcd-tls-certificate",
            defaultValue =
                    "${env:FOREBAY_ETCD_TLS_CERTIFICATE:-"
                            + picocli.CommandLine.Option.NULL_VALUE
                            + "}",
            paramLabel = "FILE",
            description = "The client certificate for etcd, in PEM. FOREBAY_ETCD_TLS_CERTIFICATE")
    private @Nullable Path certificate;

    @Option(
            names = "--etcd-tls-key",
            defaultValue =
                    "${env:FOREBAY_ETCD_TLS_KEY:-" + picocli.CommandLine.Option.NULL_VALUE + "}",
            paramLabel = "FILE",
            description = "The certificate's key, in PEM. FOREBAY_ETCD_TLS_KEY")
    private @Nullable Path key;

    /**
     * Returns the configuration from these options.
     *
     * @throws ForebayException {@code INVALID_ARGUMENT}, naming option, value and rule
     */
    public EtcdConfig config() {
        return EtcdConfig.of(
                "--etcd-endpoints",
                endpoints,
                new TlsSettings(
                        "--etcd-tls-",
                        Optional.ofNullable(authorities),
                        Optional.ofNullable(certificate),
                        Optional.ofNullable(key)));
    }
}
