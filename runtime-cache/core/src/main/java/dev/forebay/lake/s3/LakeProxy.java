package dev.forebay.lake.s3;

import dev.forebay.model.ErrorCode;
import dev.forebay.model.ForebayException;
import java.math.BigInteger;
import java.net.InetAddress;
import java.net.URI;
import java.net.URISyntaxException;
import java.net.URLDecoder;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * Selects the proxy for requests to the lake or to its token service, if any. It reads the
 * environment variables {@code HTTPS_PROXY}, {@code HTTP_PROXY}, {@code ALL_PROXY} and {@code
 * NO_PROXY}, in upper or lower case, and ignores Java's system properties. The Python package
 * follows the same rules, which are in docs/configuration.md.
 *
 * <p>Requests to loopback addresses never use a proxy.
 */
final class LakeProxy {

    private static final Set<String> SCHEMES = Set.of("http", "https");
    private static final Set<String> LOCAL_NAMES =
            Set.of(
                    "localhost",
                    "localhost.localdomain",
                    "localhost6",
                    "ip6-localhost",
                    "ip6-loopback");
    private static final int HIGHEST_PORT = 65_535;

    private final @Nullable URI address;

    private LakeProxy(@Nullable URI address) {
        this.address = address;
    }

    /**
     * Selects the proxy for requests to an address.
     *
     * @throws ForebayException {@code INVALID_ARGUMENT} naming the variable, if its value is not a
     *     valid proxy
     */
    static LakeProxy to(URI target, Map<String, String> environment) {
        if (isLoopback(target) || isExcepted(target, environment)) {
            return new LakeProxy(null);
        }
        return Stream.of(scheme(target) + "_proxy", "all_proxy")
                .flatMap(name -> variable(name, environment).stream())
                .filter(found -> !found.value().isEmpty())
                .findFirst()
                .map(found -> new LakeProxy(address(found)))
                .orElseGet(() -> new LakeProxy(null));
    }

    private record Variable(String name, String value) {}

    /** If both spellings are set, the lower-case one wins. */
    private static Optional<Variable> variable(String lower, Map<String, String> environment) {
        for (String name : List.of(lower, lower.toUpperCase(Locale.ROOT))) {
            String value = environment.get(name);
            if (value != null) {
                return Optional.of(new Variable(name, value.strip()));
            }
        }
        return Optional.empty();
    }

    private static URI address(Variable variable) {
        String value = variable.value();
        try {
            URI proxy = new URI(value.contains("://") ? value : "http://" + value);
            if (SCHEMES.contains(scheme(proxy))
                    && proxy.getHost() != null
                    && proxy.getPort() <= HIGHEST_PORT) {
                return proxy;
            }
        } catch (URISyntaxException e) {
            // Reported below, without the exception's text, which contains the password.
        }
        throw new ForebayException(
                ErrorCode.INVALID_ARGUMENT,
                "%s is %s: it must be http://host:port or https://host:port"
                        .formatted(
                                variable.name(), value.replaceFirst("^(\\w+://)?.*@", "$1***@")));
    }

    private static String scheme(URI address) {
        return String.valueOf(address.getScheme()).toLowerCase(Locale.ROOT);
    }

    private static String host(URI address) {
        return address.getHost().toLowerCase(Locale.ROOT).replaceAll("^\\[|\\]$|\\.$", "");
    }

    private static boolean isLoopback(URI target) {
        String host = host(target);
        InetAddress literal = literal(host);
        return LOCAL_NAMES.contains(host)
                || host.endsWith(".localhost")
                || (literal != null
                        && (literal.isLoopbackAddress() || literal.isAnyLocalAddress()));
    }

    private static boolean isExcepted(URI target, Map<String, String> environment) {
        return variable("no_proxy", environment).stream()
                .flatMap(found -> Stream.of(found.value().split("[\\s,]+")))
                .anyMatch(entry -> covers(entry.toLowerCase(Locale.ROOT), target));
    }

    /**
     * Returns whether an entry of NO_PROXY matches an address. An entry that is no host, address or
     * network matches nothing.
     */
    private static boolean covers(String entry, URI target) {
        String text = entry.substring(entry.indexOf("://") < 0 ? 0 : entry.indexOf("://") + 3);
        if (text.equals("*")) {
            return true;
        }
        String name = text.replaceFirst("^([^:]*|\\[.*]):\\d+$", "$1");
        if (!name.equals(text)
                && !text.substring(name.length() + 1).equals(Integer.toString(port(target)))) {
            return false;
        }
        InetAddress address = literal(host(target));
        if (address != null) {
            return isIn(name.replaceAll("[\\[\\]]", ""), address);
        }
        String domain = name.replaceAll("^\\*?\\.*|\\.+$", "");
        return !domain.isEmpty()
                && (host(target).equals(domain) || host(target).endsWith("." + domain));
    }

    private static int port(URI target) {
        if (target.getPort() >= 0) {
            return target.getPort();
        }
        return scheme(target).equals("https") ? 443 : 80;
    }

    /** Returns whether an address is equal to the text's address, or is in its network. */
    private static boolean isIn(String written, InetAddress address) {
        String[] parts = written.split("/", 2);
        InetAddress network = literal(parts[0]);
        if (network == null || network.getClass() != address.getClass()) {
            return false;
        }
        int all = address.getAddress().length * Byte.SIZE;
        int bits = parts.length == 1 ? all : length(parts[1], all);
        return bits >= 0 && prefix(network, bits).equals(prefix(address, bits));
    }

    private static int length(String bits, int most) {
        return bits.matches("\\d{1,3}") && Integer.parseInt(bits) <= most
                ? Integer.parseInt(bits)
                : -1;
    }

    private static BigInteger prefix(InetAddress address, int bits) {
        byte[] bytes = address.getAddress();
        return new BigInteger(1, bytes).shiftRight(bytes.length * Byte.SIZE - bits);
    }

    /** Parses a literal IP address. Returns null for other text, and never asks a name server. */
    private static @Nullable InetAddress literal(String text) {
        try {
            return InetAddress.ofLiteral(text);
        } catch (IllegalArgumentException e) {
            return null;
        }
    }

    /** Returns the proxy's address; null if requests go directly. */
    @Nullable URI address() {
        return address;
    }

    software.amazon.awssdk.http.nio.netty.ProxyConfiguration forNetty() {
        var proxy =
                software.amazon.awssdk.http.nio.netty.ProxyConfiguration.builder()
                        .useSystemPropertyValues(false)
                        .useEnvironmentVariableValues(false);
        if (address != null) {
            proxy.scheme(scheme(address)).host(address.getHost()).port(port(address));
            login().ifPresent(login -> proxy.username(login.user()).password(login.password()));
        }
        return proxy.build();
    }

    software.amazon.awssdk.http.apache5.ProxyConfiguration forApache() {
        var proxy =
                software.amazon.awssdk.http.apache5.ProxyConfiguration.builder()
                        .useSystemPropertyValues(false)
                        .useEnvironmentVariableValues(false);
        if (address != null) {
            String endpoint =
                    "%s://%s:%d".formatted(scheme(address), address.getHost(), port(address));
            proxy.endpoint(URI.create(endpoint));
            login().ifPresent(
                            login ->
                                    proxy.username(login.user())
                                            .password(login.password())
                                            .preemptiveBasicAuthenticationEnabled(true));
        }
        return proxy.build();
    }

    private record Login(String user, String password) {}

    private Optional<Login> login() {
        String both = address == null ? null : address.getRawUserInfo();
        if (both == null) {
            return Optional.empty();
        }
        String[] parts = both.split(":", 2);
        return Optional.of(
                new Login(decoded(parts[0]), parts.length == 1 ? "" : decoded(parts[1])));
    }

    private static String decoded(String text) {
        return URLDecoder.decode(text.replace("+", "%2B"), StandardCharsets.UTF_8);
    }
}
