package dev.forebay.service.temporal;

import dev.forebay.model.ErrorCode;
import dev.forebay.model.ForebayException;
import dev.forebay.service.ServiceConfig;
import io.grpc.netty.shaded.io.grpc.netty.GrpcSslContexts;
import io.grpc.netty.shaded.io.netty.handler.ssl.SslContext;
import io.grpc.netty.shaded.io.netty.handler.ssl.SslContextBuilder;
import io.grpc.netty.shaded.io.netty.handler.ssl.SslProvider;
import io.grpc.util.AdvancedTlsX509TrustManager;
import io.temporal.serviceclient.WorkflowServiceStubsOptions;
import java.io.IOException;
import java.nio.file.Path;
import java.security.GeneralSecurityException;
import java.time.Duration;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import javax.net.ssl.X509ExtendedKeyManager;

/**
 * TLS to Temporal, by the JDK's implementation. Files are read again when they have changed, for
 * connections that are made after that; what cannot be read then leaves what was read before.
 */
final class TemporalTls implements AutoCloseable {

    private final ServiceConfig.Tls config;
    private final Duration look;
    private final ScheduledExecutorService looking =
            Executors.newSingleThreadScheduledExecutor(
                    Thread.ofPlatform().daemon().name("temporal-tls").factory());

    /**
     * @param look how often it is looked whether files have changed
     */
    TemporalTls(ServiceConfig.Tls config, Duration look) {
        this.config = config;
        this.look = look;
    }

    /**
     * Has a connection speak TLS, if it is to.
     *
     * @throws ForebayException {@code INVALID_ARGUMENT} naming the property
     */
    void apply(WorkflowServiceStubsOptions.Builder connection) {
        if (!config.enabled()) {
            if (config.ca().isPresent()
                    || config.certificate().isPresent()
                    || config.key().isPresent()
                    || config.serverName().isPresent()) {
                throw invalid("forebay.temporal.tls.enabled must be true for the others to count");
            }
            return;
        }
        connection.setSslContext(context());
        config.serverName()
                .ifPresent(
                        name ->
                                connection.setChannelInitializer(
                                        channel -> channel.overrideAuthority(name)));
    }

    private SslContext context() {
        try {
            SslContextBuilder builder =
                    GrpcSslContexts.configure(SslContextBuilder.forClient(), SslProvider.JDK);
            if (config.ca().isPresent()) {
                builder.trustManager(trusted(config.ca().get()));
            }
            if (config.certificate().isPresent() != config.key().isPresent()) {
                throw invalid(
                        "forebay.temporal.tls.certificate and forebay.temporal.tls.key need each other");
            }
            if (config.certificate().isPresent()) {
                builder.keyManager(shown(config.certificate().get(), config.key().orElseThrow()));
            }
            return builder.build();
        } catch (IOException e) {
            throw invalid("forebay.temporal.tls: " + e.getMessage());
        }
    }

    private AdvancedTlsX509TrustManager trusted(Path file) {
        try {
            AdvancedTlsX509TrustManager manager = AdvancedTlsX509TrustManager.newBuilder().build();
            var _ =
                    manager.updateTrustCredentials(
                            file.toFile(), look.toMillis(), TimeUnit.MILLISECONDS, looking);
            return manager;
        } catch (IOException | GeneralSecurityException e) {
            throw invalid(
                    "forebay.temporal.tls.ca: %s holds no certificates in PEM that can be read: %s"
                            .formatted(file, e.getMessage()));
        }
    }

    private X509ExtendedKeyManager shown(Path certificate, Path key) {
        try {
            ShownCertificate shown = new ShownCertificate(certificate, key);
            var _ =
                    looking.scheduleWithFixedDelay(
                            shown::look, look.toMillis(), look.toMillis(), TimeUnit.MILLISECONDS);
            return shown.manager();
        } catch (IOException | GeneralSecurityException e) {
            throw invalid(
                    "forebay.temporal.tls.certificate, forebay.temporal.tls.key: %s and %s hold no certificate and its key (PKCS #8) in PEM: %s"
                            .formatted(certificate, key, e.getMessage()));
        }
    }

    private static ForebayException invalid(String what) {
        return new ForebayException(ErrorCode.INVALID_ARGUMENT, what);
    }

    @Override
    public void close() {
        looking.shutdownNow();
    }
}
