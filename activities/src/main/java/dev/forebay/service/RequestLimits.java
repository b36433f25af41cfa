package dev.forebay.service;

import io.quarkus.vertx.http.runtime.filters.Filters;
import io.vertx.core.http.HttpServerRequest;
import io.vertx.ext.web.RoutingContext;
import jakarta.enterprise.event.Observes;
import jakarta.inject.Singleton;
import jakarta.ws.rs.WebApplicationException;
import jakarta.ws.rs.ext.Provider;
import jakarta.ws.rs.ext.ReaderInterceptor;
import jakarta.ws.rs.ext.ReaderInterceptorContext;
import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.util.Map;
import java.util.OptionalInt;

/**
 * Refuses requests that are too large, with a problem.
 *
 * <p>The HTTP server's own limits ({@code quarkus.http.limits}) give no details when exceeded, so
 * they are above these.
 */
@Singleton
@Provider
class RequestLimits implements ReaderInterceptor {

    static final int URI_BYTES = 4 * 1024;
    static final int HEADER_BYTES = 20 * 1024;
    static final int BODY_BYTES = 64 * 1024;

    /** Only requests that the {@link ListenerGuard} has admitted are checked. */
    private static final int AFTER_THE_GUARD = ListenerGuard.BEFORE_EVERYTHING - 1;

    /** The bytes between a header's name and its value, and after it. */
    private static final int HEADER_SEPARATORS = 4;

    private final ProblemWriter problems;

    RequestLimits(ProblemWriter problems) {
        this.problems = problems;
    }

    void register(@Observes Filters filters) {
        filters.register(this::check, AFTER_THE_GUARD);
    }

    private void check(RoutingContext request) {
        OptionalInt refusal = refusal(request.request());
        if (refusal.isEmpty()) {
            request.next();
            return;
        }
        if (refusal.getAsInt() == HttpProblems.PAYLOAD_TOO_LARGE) {
            // The rest of the body is not read.
            request.response().putHeader("Connection", "close");
        }
        problems.end(request, HttpProblems.of(refusal.getAsInt()));
    }

    private static OptionalInt refusal(HttpServerRequest request) {
        if (request.uri().length() > URI_BYTES) {
            return OptionalInt.of(HttpProblems.URI_TOO_LONG);
        }
        if (headerBytes(request) > HEADER_BYTES) {
            return OptionalInt.of(HttpProblems.HEADERS_TOO_LARGE);
        }
        String length = request.getHeader("Content-Length");
        return length != null && isAbove(BODY_BYTES, length)
                ? OptionalInt.of(HttpProblems.PAYLOAD_TOO_LARGE)
                : OptionalInt.empty();
    }

    private static int headerBytes(HttpServerRequest request) {
        int sum = 0;
        for (Map.Entry<String, String> header : request.headers()) {
            sum += header.getKey().length() + header.getValue().length() + HEADER_SEPARATORS;
        }
        return sum;
    }

    /** The server has checked that it is a number, but not its size. */
    private static boolean isAbove(int limit, String number) {
        String digits = number.strip().replaceFirst("^0+(?=.)", "");
        return digits.length() > 9 || Integer.parseInt(digits) > limit;
    }

    /** Limits a body without a declared length before it is parsed. */
    @Override
    public Object aroundReadFrom(ReaderInterceptorContext context) throws IOException {
        byte[] body = context.getInputStream().readNBytes(BODY_BYTES + 1);
        if (body.length > BODY_BYTES) {
            throw new WebApplicationException(HttpProblems.PAYLOAD_TOO_LARGE);
        }
        context.setInputStream(new ByteArrayInputStream(body));
        return context.proceed();
    }
}
