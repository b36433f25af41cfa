package dev.forebay.service;

import io.quarkus.vertx.http.runtime.filters.Filters;
import io.vertx.core.http.HttpHeaders;
import io.vertx.core.http.HttpServerResponse;
import io.vertx.ext.web.RoutingContext;
import jakarta.enterprise.event.Observes;
import jakarta.inject.Singleton;

/**
 * Makes clients that are asked to retry use a new connection.
 *
 * <p>Several replicas share one address, and another replica may reach what this one cannot. A
 * client that keeps its connection would always return to the same replica.
 */
@Singleton
class NewConnectionAfterRetry {

    private static final int PRIORITY = ListenerGuard.BEFORE_EVERYTHING - 2;

    void register(@Observes Filters filters) {
        filters.register(NewConnectionAfterRetry::watch, PRIORITY);
    }

    private static void watch(RoutingContext request) {
        int _ = request.addHeadersEndHandler(_ -> part(request.response()));
        request.next();
    }

    private static void part(HttpServerResponse response) {
        if (response.headers().contains(HttpHeaders.RETRY_AFTER)) {
            response.putHeader(HttpHeaders.CONNECTION, HttpHeaders.CLOSE);
        }
    }
}
