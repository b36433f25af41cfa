package dev.forebay.membership;

import dev.forebay.model.ErrorCode;
import dev.forebay.model.ForebayException;
import java.net.URI;
import java.time.Duration;
import java.util.List;

/**
 * How to reach a region's etcd, and how long to wait for it.
 *
 * @param endpoints at least one, such as {@code http://127.0.0.1:2379}
 * @param requestTimeout for one call of {@link RegionState}, its retries included
 * @param workerLease how long a worker counts as live after its last sign of life; at least 2 s
 * @param checkInterval how often the watch is compared with etcd
 * @param retryDelay the longest pause between attempts to reach an etcd that is away
 */
public record EtcdConfig(
        List<URI> endpoints,
        Duration requestTimeout,
        Duration workerLease,
        Duration checkInterval,
        Duration retryDelay) {

    public EtcdConfig {
        endpoints = List.copyOf(endpoints);
        requireAddresses("endpoints", endpoints);
    }

    /** 5 s a call, a worker lease of 10 s, a check every 2 s, at most 2 s between attempts. */
    public static EtcdConfig of(List<URI> endpoints) {
        return of("forebay.etcd.endpoints", endpoints);
    }

    /**
     * As {@link #of(List)}.
     *
     * @param setting what the endpoints were given by, for the message if they are wrong
     */
    public static EtcdConfig of(String setting, List<URI> endpoints) {
        requireAddresses(setting, endpoints);
        return new EtcdConfig(
                endpoints,
                Duration.ofSeconds(5),
                Duration.ofSeconds(10),
                Duration.ofSeconds(2),
                Duration.ofSeconds(2));
    }

    private static void requireAddresses(String setting, List<URI> endpoints) {
        if (endpoints.isEmpty() || !endpoints.stream().allMatch(EtcdConfig::isAddress)) {
            throw new ForebayException(
                    ErrorCode.INVALID_ARGUMENT,
                    "%s must be a list of URIs with scheme http, host and port, not %s"
                            .formatted(setting, endpoints));
        }
    }

    private static boolean isAddress(URI uri) {
        return "http".equals(uri.getScheme()) && uri.getHost() != null && uri.getPort() >= 0;
    }
}
