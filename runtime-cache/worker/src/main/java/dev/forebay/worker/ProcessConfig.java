package dev.forebay.worker;

import dev.forebay.model.RegionName;
import dev.forebay.transfer.BearerToken;
import jakarta.enterprise.context.Dependent;
import jakarta.inject.Inject;
import java.net.URI;
import java.nio.file.Path;
import java.util.Optional;
import org.eclipse.microprofile.config.inject.ConfigProperty;

/** The settings that all of Forebay's processes share. */
@Dependent
class ProcessConfig {

    private final RegionName region;
    private final Optional<BearerToken> token;
    private final String host;

    @Inject
    ProcessConfig(
            @ConfigProperty(name = "forebay.region") String region,
            @ConfigProperty(name = "forebay.token-file") Optional<Path> tokenFile,
            @ConfigProperty(name = "quarkus.http.host") String host) {
        this.region = new RegionName(region);
        this.token = BearerToken.forListener(tokenFile, host);
        this.host = host;
    }

    /** {@code forebay.region}. */
    RegionName region() {
        return region;
    }

    /** What {@code forebay.token-file} holds; there is one if the listener is not on loopback. */
    Optional<BearerToken> token() {
        return token;
    }

    /** Where others reach this process if nothing else is said. */
    URI address(int port) {
        String name = host.contains(":") ? "[" + host + "]" : host;
        return URI.create("http://" + name + ":" + port);
    }
}
