package dev.forebay.service;

import dev.forebay.settings.Startup;
import dev.forebay.tls.RenewedKey;
import dev.forebay.tls.TlsSettings;
import io.micrometer.core.instrument.Gauge;
import io.micrometer.core.instrument.MeterRegistry;
import io.quarkus.vertx.http.HttpServerOptionsCustomizer;
import io.vertx.core.http.HttpServerOptions;
import io.vertx.core.net.KeyCertOptions;
import jakarta.inject.Singleton;
import java.util.Optional;
import java.util.Set;

/** Makes this process' one listener accept TLS only, if a certificate is configured. */
@Singleton
class ServiceTls implements HttpServerOptionsCustomizer {

    /** Workers of other regions may all connect at once. Their own timeouts end the handshakes. */
    private static final int HANDSHAKE_SECONDS = 60;

    private final Optional<RenewedKey> key;

    ServiceTls(ServiceConfig config, MeterRegistry registry) {
        this.key = Startup.get(() -> shown(config.tls()));
        key.ifPresent(
                shown ->
                        Gauge.builder(
                                        "forebay.service.tls.certificate.left.seconds",
                                        shown,
                                        its -> its.left().toSeconds())
                                .description("Remaining validity of the certificate")
                                .register(registry));
    }

    private static Optional<RenewedKey> shown(ServiceConfig.ListenerTls files) {
        return new TlsSettings("forebay.tls.", Optional.empty(), files.certificate(), files.key())
                .shown();
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
