package dev.forebay.worker.http;

import dev.forebay.transfer.WorkerUsage;
import dev.forebay.worker.retention.StoreUsage;
import io.vertx.core.json.JsonArray;
import io.vertx.core.json.JsonObject;
import io.vertx.ext.web.RoutingContext;
import java.util.concurrent.Callable;

/** Serves the usage of the store by version. */
final class UsageRoutes {

    private final StoreUsage usage;

    UsageRoutes(StoreUsage usage) {
        this.usage = usage;
    }

    /** Handles {@code GET /v1/usage}. */
    Callable<WorkerResponse> usage(RoutingContext context) {
        return () -> answer(usage.measure());
    }

    private static WorkerResponse answer(WorkerUsage now) {
        JsonArray shares = new JsonArray();
        now.shares()
                .forEach(
                        share -> {
                            JsonArray manifests = new JsonArray();
                            share.manifests().forEach(manifest -> manifests.add(manifest.hex()));
                            shares.add(
                                    new JsonObject()
                                            .put("manifests", manifests)
                                            .put("bytes", share.bytes()));
                        });
        JsonObject secondsSinceRead = new JsonObject();
        now.readAgo()
                .forEach((manifest, ago) -> secondsSinceRead.put(manifest.hex(), ago.toSeconds()));
        return new WorkerResponse.Json(
                new JsonObject()
                        .put("capacityBytes", now.capacityBytes())
                        .put("usedBytes", now.usedBytes())
                        .put("complete", now.complete())
                        .put("shares", shares)
                        .put("secondsSinceRead", secondsSinceRead));
    }
}
