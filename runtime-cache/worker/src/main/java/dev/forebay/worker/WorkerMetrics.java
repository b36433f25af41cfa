package dev.forebay.worker;

import dev.forebay.transfer.Source;
import dev.forebay.worker.fill.FillObserver;
import dev.forebay.worker.http.Operation;
import dev.forebay.worker.http.RequestObserver;
import io.micrometer.core.instrument.Counter;
import io.micrometer.core.instrument.FunctionCounter;
import io.micrometer.core.instrument.Gauge;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.Timer;
import java.util.concurrent.TimeUnit;
import java.util.function.Supplier;

/**
 * The worker's metrics, {@code forebay_worker_*}. Every tag has few values, and none is a key, a
 * digest or an address.
 */
final class WorkerMetrics implements RequestObserver, FillObserver {

    private static final String PREFIX = "forebay.worker.";

    private final MeterRegistry registry;

    WorkerMetrics(MeterRegistry registry) {
        this.registry = registry;
    }

    @Override
    public void answered(Operation operation, String outcome, long nanos) {
        Timer.builder(PREFIX + "requests")
                .description("Requests and their duration")
                .tag("operation", operation.tag())
                .tag("outcome", outcome)
                .register(registry)
                .record(nanos, TimeUnit.NANOSECONDS);
    }

    @Override
    public void served(Source source, long bytes) {
        Counter.builder(PREFIX + "served.bytes")
                .description("Bytes of packs sent to readers, by source")
                .tag("source", source.wireName())
                .register(registry)
                .increment((double) bytes);
    }

    @Override
    public void lakeRequest(String outcome, long bytes) {
        count("lake.requests", "GET requests to the lake, by result", outcome);
        Counter.builder(PREFIX + "lake.bytes")
                .description("Bytes read from the lake")
                .register(registry)
                .increment((double) bytes);
    }

    @Override
    public void peerRequest(String outcome, long bytes) {
        count("peer.requests", "Requests for chunks to other workers, by result", outcome);
        Counter.builder(PREFIX + "peer.bytes")
                .description("Bytes read from other workers")
                .register(registry)
                .increment((double) bytes);
    }

    @Override
    public void siblingRequest(String outcome, long bytes) {
        count("sibling.requests", "Requests for chunks to other regions, by result", outcome);
        Counter.builder(PREFIX + "sibling.bytes")
                .description("Bytes read from other regions")
                .register(registry)
                .increment((double) bytes);
    }

    @Override
    public void filled(String outcome, long nanos) {
        Timer.builder(PREFIX + "fills")
                .description("Fills of chunks and their duration")
                .tag("outcome", outcome)
                .register(registry)
                .record(nanos, TimeUnit.NANOSECONDS);
    }

    /** Registers a gauge that is read on each scrape. */
    void gauge(String name, String description, Supplier<Number> value) {
        Gauge.builder(PREFIX + name, value)
                .description(description)
                .strongReference(true)
                .register(registry);
    }

    /** Registers a counter whose value is kept elsewhere. */
    void count(String name, String description, Supplier<Number> value) {
        // Micrometer holds the object weakly and the function strongly, hence {@code this}.
        FunctionCounter.builder(PREFIX + name, this, _ -> value.get().doubleValue())
                .description(description)
                .register(registry);
    }

    private void count(String name, String description, String outcome) {
        Counter.builder(PREFIX + name)
                .description(description)
                .tag("outcome", outcome)
                .register(registry)
                .increment();
    }
}
