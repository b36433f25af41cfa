package dev.forebay.service;

import dev.forebay.tls.RenewedKey;
import dev.forebay.tls.TlsSettings;
import io.micrometer.core.instrument.Gauge;
import io.micrometer.core.instrument.MeterRegistry;
import io.quarkus.vertx.http.HttpServerOptionsCustomizer;
import io.vertx.core.http.HttpServerOptions;
import io.vertx.core.net.KeyCertOptions;
import jakarta.inject.Singleton;
import java.time.Duration;
import java.time.Instant;
import java.util.Optional;
import java.util.Set;

/** Has this process' one listener speak TLS, and nothing else, if it is given a certificate. */
@Singleton
class ServiceTls implements HttpServerOptionsCustomizer {

    private final Optional<RenewedKey> key;

    ServiceTls(ServiceConfig config, MeterRegistry registry) {
        TlsSettings settings =
                Startup.get(
                        () ->
                                new TlsSettings(
                                        "forebay.tls.",
                                        Optional.empty(),
                                        config.tls().certificate(),
                                        config.tls().key()));
        this.key = Startup.get(settings::shown);
        key.ifPresent(
                shown ->
                        Gauge.builder(
                                        "forebay.service.tls.certificate.left.seconds",
                                        shown,
                                        ServiceTls::secondsLeft)
                                .description("How long the certificate is still valid")
                                .register(registry));
    }

    private static double secondsLeft(RenewedKey shown) {
        return Duration.between(Instant.now(), shown.expiry()).toSeconds();
    }

    @Override
    public void customizeHttpServer(HttpServerOptions options) {
        key.ifPresent(
                shown ->
                        options.setSsl(true)
                                .setKeyCertOptions(KeyCertOptions.wrap(shown))
                                .setEnabledSecureTransportProtocols(Set.of("TLSv1.3")));
    }
}
