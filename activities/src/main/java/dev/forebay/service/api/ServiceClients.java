package dev.forebay.service.api;

import dev.forebay.service.ServiceConfig;
import dev.forebay.settings.Startup;
import dev.forebay.tls.RenewedTrust;
import dev.forebay.transfer.BearerToken;
import io.quarkus.runtime.StartupEvent;
import jakarta.enterprise.event.Observes;
import jakarta.inject.Inject;
import jakarta.inject.Singleton;
import java.net.http.HttpClient;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.Executors;
import javax.net.ssl.SSLContext;

/**
 * Creates the HTTP clients of this process for agents and control planes. Safe for use by many
 * threads.
 */
@Singleton
public final class ServiceClients {

    private final Optional<BearerToken> token;
    private final Optional<SSLContext> trusted;

    @Inject
    ServiceClients(ServiceConfig config, Optional<BearerToken> token) {
        this.token = token;
        this.trusted = config.serviceCa().map(file -> Startup.get(() -> trusting(file)));
    }

    /** Trusts the authorities of the JVM. */
    public ServiceClients(Optional<BearerToken> token) {
        this.token = token;
        this.trusted = Optional.empty();
    }

    /**
     * Creates this bean in every role, so that an unusable file ends the start and not the first
     * call.
     */
    void start(@Observes StartupEvent event) {}

    private static SSLContext trusting(Path file) {
        return new RenewedTrust("forebay.service-ca", file).context();
    }

    /** Returns the token to send. */
    public Optional<BearerToken> token() {
        return token;
    }

    /** Creates a client with virtual threads. */
    public HttpClient within(Duration connectTimeout) {
        HttpClient.Builder builder =
                HttpClient.newBuilder()
                        .version(HttpClient.Version.HTTP_1_1)
                        // Agents and control planes are reached directly, as workers are.
                        .proxy(HttpClient.Builder.NO_PROXY)
                        .connectTimeout(connectTimeout)
                        .executor(Executors.newVirtualThreadPerTaskExecutor());
        trusted.ifPresent(builder::sslContext);
        return builder.build();
    }
}
