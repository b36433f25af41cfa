package dev.forebay.service.temporal;

import dev.forebay.model.ErrorCode;
import dev.forebay.model.ForebayException;
import dev.forebay.service.ServiceConfig;
import dev.forebay.tls.TlsSettings;
import io.grpc.netty.shaded.io.grpc.netty.GrpcSslContexts;
import io.grpc.netty.shaded.io.netty.handler.ssl.SslContext;
import io.grpc.netty.shaded.io.netty.handler.ssl.SslContextBuilder;
import io.grpc.netty.shaded.io.netty.handler.ssl.SslProvider;
import io.temporal.serviceclient.WorkflowServiceStubsOptions;
import javax.net.ssl.SSLException;

/** Configures TLS to Temporal, with the JDK's implementation. */
final class TemporalTls {

    private static final String PREFIX = "forebay.temporal.tls.";

    private TemporalTls() {}

    /**
     * Makes a connection use TLS, if enabled.
     *
     * @throws ForebayException {@code INVALID_ARGUMENT} naming the property
     */
    static void apply(ServiceConfig.Tls config, WorkflowServiceStubsOptions.Builder connection) {
        if (!config.enabled()) {
            if (config.ca().isPresent()
                    || config.certificate().isPresent()
                    || config.key().isPresent()
                    || config.serverName().isPresent()) {
                throw new ForebayException(
                        ErrorCode.INVALID_ARGUMENT,
                        PREFIX + "enabled must be true if other settings of TLS are present");
            }
            return;
        }
        connection.setSslContext(
                context(new TlsSettings(PREFIX, config.ca(), config.certificate(), config.key())));
        config.serverName()
                .ifPresent(
                        name ->
                                connection.setChannelInitializer(
                                        channel -> {
                                            TemporalConnection.goDirectly(channel);
                                            channel.overrideAuthority(name);
                                        }));
    }

    private static SslContext context(TlsSettings files) {
        SslContextBuilder builder =
                GrpcSslContexts.configure(SslContextBuilder.forClient(), SslProvider.JDK);
        files.trusted().ifPresent(builder::trustManager);
        files.shown().ifPresent(builder::keyManager);
        try {
            return builder.build();
        } catch (SSLException e) {
            throw new ForebayException(ErrorCode.INTERNAL, "cannot set up TLS to Temporal", e);
        }
    }
}
