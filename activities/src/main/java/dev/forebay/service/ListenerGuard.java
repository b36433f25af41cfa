package dev.forebay.service;

import dev.forebay.model.ErrorCode;
import dev.forebay.settings.Startup;
import dev.forebay.transfer.BearerToken;
import io.quarkus.vertx.http.runtime.filters.Filters;
import io.vertx.ext.web.RoutingContext;
import jakarta.enterprise.event.Observes;
import jakarta.enterprise.inject.Produces;
import jakarta.inject.Singleton;
import java.util.List;
import java.util.Optional;
import org.eclipse.microprofile.config.inject.ConfigProperty;

/**
 * Admits only requests with the token, if one is configured.
 *
 * <p>Health probes are open, because the systems that restart processes have no token. The files of
 * the console are open, because a browser requests them before it has one. Neither reveals
 * anything.
 */
@Singleton
final class ListenerGuard {

    static final int BEFORE_EVERYTHING = 10_000;
    private static final int UNAUTHORIZED = 401;
    private static final List<String> OPEN = List.of("/q/health", "/console");

    private final Optional<BearerToken> token;
    private final ProblemWriter problems;

    /**
     * Quarkus creates this before it listens, so a listener that needs a token never opens without
     * one.
     */
    ListenerGuard(
            ServiceConfig config,
            ProblemWriter problems,
            @ConfigProperty(name = "quarkus.http.host") String host) {
        this.token = Startup.get(() -> BearerToken.forListener(config.tokenFile(), host));
        this.problems = problems;
    }

    /** Returns the token that this process sends to others. */
    @Produces
    @Singleton
    Optional<BearerToken> token() {
        return token;
    }

    void register(@Observes Filters filters) {
        if (token.isPresent()) {
            filters.register(this::admit, BEFORE_EVERYTHING);
        }
    }

    private void admit(RoutingContext request) {
        String header = request.request().getHeader(BearerToken.HEADER);
        if (isOpen(request.normalizedPath()) || token.orElseThrow().admits(header)) {
            request.next();
            return;
        }
        request.response().putHeader("WWW-Authenticate", "Bearer");
        problems.end(
                request,
                Problem.of(
                        UNAUTHORIZED,
                        ErrorCode.DENIED,
                        "the request needs the header Authorization: Bearer with the token of "
                                + "forebay.token-file: set your token file with 'export "
                                + "FOREBAY_TOKEN_FILE=FILE'",
                        null));
    }

    private static boolean isOpen(String path) {
        return OPEN.stream().anyMatch(open -> path.equals(open) || path.startsWith(open + "/"));
    }
}
