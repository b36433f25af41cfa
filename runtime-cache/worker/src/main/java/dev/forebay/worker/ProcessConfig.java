package dev.forebay.worker;

import dev.forebay.model.ErrorCode;
import dev.forebay.model.ForebayException;
import dev.forebay.model.RegionName;
import dev.forebay.settings.Startup;
import dev.forebay.transfer.BearerToken;
import dev.forebay.transfer.WorkerAuthorities;
import jakarta.enterprise.context.Dependent;
import jakarta.inject.Inject;
import java.net.URI;
import java.nio.file.Path;
import java.util.Optional;
import org.eclipse.microprofile.config.inject.ConfigProperty;

/** The settings that all Forebay processes share. */
@Dependent
class ProcessConfig {

    private static final String AUTHORITIES = "forebay.worker-ca";
    private static final String SERVICE_AUTHORITIES = "forebay.service-ca";

    private static final int MAX_PORT = 65_535;

    private final RegionName region;
    private final Optional<BearerToken> token;
    private final Optional<WorkerAuthorities> authorities;
    private final Optional<WorkerAuthorities> serviceAuthorities;
    private final String host;
    private final int port;

    @Inject
    ProcessConfig(
            @ConfigProperty(name = "forebay.region") String region,
            @ConfigProperty(name = "forebay.token-file") Optional<Path> tokenFile,
            @ConfigProperty(name = AUTHORITIES) Optional<Path> authorities,
            @ConfigProperty(name = SERVICE_AUTHORITIES) Optional<Path> serviceAuthorities,
            @ConfigProperty(name = "quarkus.http.host") String host,
            @ConfigProperty(name = "quarkus.http.port") int port) {
        this.region = Startup.get(() -> named(region));
        this.token = Startup.get(() -> BearerToken.forListener(tokenFile, host));
        this.authorities = read(AUTHORITIES, authorities);
        this.serviceAuthorities = read(SERVICE_AUTHORITIES, serviceAuthorities);
        this.host = host;
        this.port = Startup.get(() -> checked(port));
    }

    private static RegionName named(String region) {
        try {
            return new RegionName(region);
        } catch (ForebayException e) {
            throw new ForebayException(e.code(), "forebay.region: " + e.getMessage());
        }
    }

    private static int checked(int port) {
        if (port < 1 || port > MAX_PORT) {
            throw new ForebayException(
                    ErrorCode.INVALID_ARGUMENT,
                    "quarkus.http.port is %d: it must be from 1 to %d, because other processes must know it"
                            .formatted(port, MAX_PORT));
        }
        return port;
    }

    private static Optional<WorkerAuthorities> read(String setting, Optional<Path> file) {
        return Startup.get(() -> file.map(given -> WorkerAuthorities.read(setting, given)));
    }

    /** Returns {@code forebay.region}. */
    RegionName region() {
        return region;
    }

    /**
     * Returns the token in {@code forebay.token-file}. Present if the listener is not on loopback.
     */
    Optional<BearerToken> token() {
        return token;
    }

    /**
     * Returns the authorities of {@code forebay.worker-ca}, which sign the certificates of other
     * workers.
     */
    Optional<WorkerAuthorities> authorities() {
        return authorities;
    }

    /**
     * Returns the authorities of {@code forebay.service-ca}, which sign the certificates of agents
     * in other regions.
     */
    Optional<WorkerAuthorities> serviceAuthorities() {
        return serviceAuthorities;
    }

    /**
     * Returns the address of this process if none is configured. Uses the configured port, because
     * Quarkus may announce its server before it can tell the actual port.
     *
     * @param scheme {@code http} or {@code https}
     */
    URI address(String scheme) {
        String name = host.contains(":") ? "[" + host + "]" : host;
        return URI.create(scheme + "://" + name + ":" + port);
    }
}
