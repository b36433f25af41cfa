package dev.forebay.membership.etcd;

import dev.forebay.membership.RegionState;
import dev.forebay.model.ErrorCode;
import dev.forebay.model.ForebayException;
import dev.forebay.tls.TlsSettings;
import java.net.URI;
import java.time.Duration;
import java.util.List;
import java.util.Set;

/**
 * The address of a region's etcd, and timeouts for its use.
 *
 * @param endpoints at least one, such as {@code http://127.0.0.1:2379}; all with {@code http}, or
 *     all with {@code https}
 * @param tls trusted authorities and this client's certificate; empty for {@code http}
 * @param requestTimeout timeout of one call of {@link RegionState}, its retries included
 * @param workerLease the time for which a worker counts as live after its last renewal; at least 2
 *     s
 * @param checkInterval the time between two comparisons of the view with etcd
 * @param retryDelay the longest pause between attempts to reach an etcd that does not answer
 */
public record EtcdConfig(
        List<URI> endpoints,
        TlsSettings tls,
        Duration requestTimeout,
        Duration workerLease,
        Duration checkInterval,
        Duration retryDelay) {

    private static final String PREFIX = "forebay.etcd.";
    private static final Set<String> SCHEMES = Set.of("http", "https");

    public EtcdConfig {
        endpoints = List.copyOf(endpoints);
        requireAddresses("endpoints", endpoints);
        if (!isEncrypted(endpoints) && !tls.isEmpty()) {
            throw new ForebayException(
                    ErrorCode.INVALID_ARGUMENT,
                    "%sca, %scertificate and %skey must not be given where etcd's endpoints have scheme http: %s"
                            .formatted(tls.prefix(), tls.prefix(), tls.prefix(), endpoints));
        }
    }

    /** Returns a configuration without files for TLS. */
    public EtcdConfig(
            List<URI> endpoints,
            Duration requestTimeout,
            Duration workerLease,
            Duration checkInterval,
            Duration retryDelay) {
        this(
                endpoints,
                TlsSettings.none(PREFIX + "tls."),
                requestTimeout,
                workerLease,
                checkInterval,
                retryDelay);
    }

    /**
     * Returns the defaults: 5 s for a call, a worker lease of 10 s, a check every 2 s, and retries
     * after at most 2 s.
     */
    public static EtcdConfig of(List<URI> endpoints) {
        return of(PREFIX + "endpoints", endpoints, TlsSettings.none(PREFIX + "tls."));
    }

    /**
     * Returns the same as {@link #of(List)}, with files for TLS.
     *
     * @param setting the name of the setting with the endpoints, for the message if they are wrong
     */
    public static EtcdConfig of(String setting, List<URI> endpoints, TlsSettings tls) {
        requireAddresses(setting, endpoints);
        return new EtcdConfig(
                endpoints,
                tls,
                Duration.ofSeconds(5),
                Duration.ofSeconds(10),
                Duration.ofSeconds(2),
                Duration.ofSeconds(2));
    }

    /** Returns the same with another timeout for a call. */
    public EtcdConfig withRequestTimeout(Duration timeout) {
        return new EtcdConfig(endpoints, tls, timeout, workerLease, checkInterval, retryDelay);
    }

    /** Returns whether the endpoints use TLS. */
    boolean isEncrypted() {
        return isEncrypted(endpoints);
    }

    private static boolean isEncrypted(List<URI> endpoints) {
        return endpoints.getFirst().getScheme().equals("https");
    }

    private static void requireAddresses(String setting, List<URI> endpoints) {
        long schemes = endpoints.stream().map(URI::getScheme).distinct().count();
        if (schemes != 1 || !endpoints.stream().allMatch(EtcdConfig::isAddress)) {
            throw new ForebayException(
                    ErrorCode.INVALID_ARGUMENT,
                    "%s must be a list of URIs with scheme http or https, the same for all, host and port, not %s"
                            .formatted(setting, endpoints));
        }
    }

    private static boolean isAddress(URI uri) {
        return uri.getScheme() != null
                && SCHEMES.contains(uri.getScheme())
                && uri.getHost() != null
                && uri.getPort() >= 0;
    }
}
