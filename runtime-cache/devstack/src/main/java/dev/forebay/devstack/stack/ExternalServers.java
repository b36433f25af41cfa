package dev.forebay.devstack.stack;

import dev.forebay.devstack.DevstackException;
import java.net.URI;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/**
 * Servers that the user already has. The devstack does not start its own in their place.
 *
 * @param etcd comma-separated endpoints, {@code FOREBAY_ETCD_ENDPOINTS}; all regions share it
 * @param temporal {@code FOREBAY_TEMPORAL_TARGET}, with {@code FOREBAY_TEMPORAL_UI}
 * @param postgres {@code FOREBAY_POSTGRES_URL} (JDBC), with {@code FOREBAY_POSTGRES_USER} and
 *     {@code FOREBAY_POSTGRES_PASSWORD}
 * @param lake {@code FOREBAY_LAKE_ENDPOINT}, with {@code AWS_ACCESS_KEY_ID}, {@code
 *     AWS_SECRET_ACCESS_KEY}, {@code AWS_SESSION_TOKEN}, {@code AWS_REGION} and {@code
 *     FOREBAY_LAKE_PATH_STYLE}; its buckets must exist
 */
public record ExternalServers(
        Optional<String> etcd,
        Optional<TemporalAddress> temporal,
        Optional<PostgresAddress> postgres,
        Optional<LakeAddress> lake) {
    /** No external servers: the devstack starts all of them. */
    public static final ExternalServers NONE =
            new ExternalServers(
                    Optional.empty(), Optional.empty(), Optional.empty(), Optional.empty());

    /**
     * Reads the variables named above.
     *
     * @throws DevstackException naming the variable that is missing or wrong, and the rule
     */
    public static ExternalServers of(Map<String, String> environment) {
        return new ExternalServers(
                get(environment, "FOREBAY_ETCD_ENDPOINTS"),
                get(environment, "FOREBAY_TEMPORAL_TARGET")
                        .map(
                                target ->
                                        new TemporalAddress(
                                                target,
                                                address(environment, "FOREBAY_TEMPORAL_UI"))),
                get(environment, "FOREBAY_POSTGRES_URL")
                        .map(
                                url ->
                                        new PostgresAddress(
                                                url,
                                                get(environment, "FOREBAY_POSTGRES_USER")
                                                        .orElse("forebay"),
                                                get(environment, "FOREBAY_POSTGRES_PASSWORD")
                                                        .orElse(""))),
                address(environment, "FOREBAY_LAKE_ENDPOINT")
                        .map(
                                endpoint ->
                                        new LakeAddress(
                                                endpoint,
                                                get(environment, "AWS_REGION").orElse("us-east-1"),
                                                pathStyle(environment),
                                                credentials(environment))));
    }

    private static Optional<String> get(Map<String, String> environment, String name) {
        return Optional.ofNullable(environment.get(name)).filter(value -> !value.isBlank());
    }

    private static Optional<URI> address(Map<String, String> environment, String name) {
        Optional<String> text = get(environment, name);
        try {
            Optional<URI> address = text.map(URI::create);
            if (address.stream().allMatch(ExternalServers::isOfAWebServer)) {
                return address;
            }
        } catch (IllegalArgumentException e) {
            // Not a URI: refused below.
        }
        throw new DevstackException(
                "%s is '%s': it must have the form http://host:port or https://host"
                        .formatted(name, text.orElse("")));
    }

    private static boolean isOfAWebServer(URI address) {
        return List.of("http", "https").contains(address.getScheme()) && address.getHost() != null;
    }

    private static boolean pathStyle(Map<String, String> environment) {
        String text = get(environment, "FOREBAY_LAKE_PATH_STYLE").orElse("true");
        if (!List.of("true", "false").contains(text)) {
            throw new DevstackException(
                    "FOREBAY_LAKE_PATH_STYLE is '%s': it must be true or false".formatted(text));
        }
        return Boolean.parseBoolean(text);
    }

    private static Map<String, String> credentials(Map<String, String> environment) {
        Map<String, String> credentials = new HashMap<>();
        for (String name : List.of("AWS_ACCESS_KEY_ID", "AWS_SECRET_ACCESS_KEY")) {
            credentials.put(
                    name,
                    get(environment, name)
                            .orElseThrow(
                                    () ->
                                            new DevstackException(
                                                    "FOREBAY_LAKE_ENDPOINT is set, so %s must be too"
                                                            .formatted(name))));
        }
        get(environment, "AWS_SESSION_TOKEN")
                .ifPresent(token -> credentials.put("AWS_SESSION_TOKEN", token));
        return credentials;
    }

    /**
     * The address of Temporal.
     *
     * @param target host and port
     * @param ui its Web UI, if there is one
     */
    public record TemporalAddress(String target, Optional<URI> ui) {}

    /**
     * The address of PostgreSQL, with the credentials.
     *
     * @param url JDBC
     * @param user the database user
     * @param password its password
     */
    public record PostgresAddress(String url, String user, String password) {
        @Override
        public String toString() {
            return url;
        }
    }

    /**
     * The address of the lake, with the credentials.
     *
     * @param endpoint of S3
     * @param region to sign for
     * @param pathStyle whether the bucket is in the path, not in the host name
     * @param credentials variables of the AWS SDKs
     */
    public record LakeAddress(
            URI endpoint, String region, boolean pathStyle, Map<String, String> credentials) {
        @Override
        public String toString() {
            return endpoint.toString();
        }

        LakeAddress at(URI other) {
            return new LakeAddress(other, region, pathStyle, credentials);
        }
    }
}
