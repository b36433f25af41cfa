package dev.forebay.lake.s3;

import dev.forebay.model.ErrorCode;
import dev.forebay.model.ForebayException;
import java.net.URI;
import java.net.URISyntaxException;
import java.util.Map;
import java.util.Optional;
import java.util.stream.Stream;

/**
 * The address of an AWS service that the environment names. The AWS SDK reads these variables
 * itself, if Forebay sets no address. This class only finds out where its requests go. See
 * "Service-specific endpoints" in the AWS SDKs and Tools reference.
 */
final class NamedEndpoint {
    private static final String ALL = "AWS_ENDPOINT_URL";
    private static final String IGNORED = "AWS_IGNORE_CONFIGURED_ENDPOINT_URLS";

    private NamedEndpoint() {}

    /**
     * Returns the address for a service, if there is one.
     *
     * @param service as in the name of its variable, such as {@code S3}
     * @throws ForebayException {@code INVALID_ARGUMENT} naming the variable, if its value is no
     *     address
     */
    static Optional<URI> of(String service, Map<String, String> environment) {
        if (Boolean.parseBoolean(environment.get(IGNORED))) {
            return Optional.empty();
        }
        return Stream.of(ALL + "_" + service, ALL)
                .map(name -> Map.entry(name, environment.getOrDefault(name, "").strip()))
                .filter(variable -> !variable.getValue().isEmpty())
                .findFirst()
                .map(variable -> address(variable.getKey(), variable.getValue()));
    }

    private static URI address(String name, String value) {
        try {
            URI address = new URI(value);
            if (address.getScheme() != null && address.getHost() != null) {
                return address;
            }
        } catch (URISyntaxException e) {
            // Reported below.
        }
        throw new ForebayException(
                ErrorCode.INVALID_ARGUMENT,
                "%s is %s: it must be http://host:port or https://host:port"
                        .formatted(name, value));
    }
}
