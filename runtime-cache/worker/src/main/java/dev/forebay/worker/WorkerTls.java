package dev.forebay.worker;

import dev.forebay.settings.Startup;
import dev.forebay.tls.RenewedKey;
import io.micrometer.core.instrument.MeterRegistry;
import io.quarkus.vertx.http.HttpServerOptionsCustomizer;
import io.vertx.core.http.HttpServerOptions;
import io.vertx.core.net.KeyCertOptions;
import jakarta.inject.Singleton;
import java.util.Optional;
import java.util.Set;

/** Makes the worker's listener accept only TLS, if a certificate is configured. */
@Singleton
class WorkerTls implements HttpServerOptionsCustomizer {

    /**
     * A thousand clients may connect at once, before the code is compiled. Clients time out
     * earlier.
     */
    private static final int HANDSHAKE_SECONDS = 60;

    private final Optional<RenewedKey> key;

    WorkerTls(WorkerConfig config, MeterRegistry registry) {
        this.key =
                Startup.get(
                        () -> {
                            ConfigCheck.checkTls(config);
                            return config.tls().files().map(RenewedKey::open);
                        });
        key.ifPresent(
                shown ->
                        new WorkerMetrics(registry)
                                .gauge(
                                        "tls.certificate.left.seconds",
                                        "Remaining validity of the certificate",
                                        () -> shown.left().toSeconds()));
    }

    @Override
    public void customizeHttpServer(HttpServerOptions options) {
        key.ifPresent(
                shown ->
                        options.setSsl(true)
                                .setKeyCertOptions(KeyCertOptions.wrap(shown))
                                .setSslHandshakeTimeout(HANDSHAKE_SECONDS)
                                .setEnabledSecureTransportProtocols(Set.of("TLSv1.3")));
    }
}
