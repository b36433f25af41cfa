package dev.forebay.fuse;

import dev.forebay.fuse.fs.Operation;
import dev.forebay.fuse.fs.OperationMeter;
import dev.forebay.fuse.nodecache.CacheCounters;
import dev.forebay.fuse.nodecache.NodePacks;
import dev.forebay.fuse.read.ReadMeter;
import dev.forebay.fuse.view.View;
import dev.forebay.model.ErrorCode;
import dev.forebay.model.ForebayException;
import dev.forebay.placement.WorkerNode;
import dev.forebay.transfer.ReadAnswer;
import dev.forebay.transfer.ReadEvents;
import io.micrometer.core.instrument.Counter;
import io.micrometer.core.instrument.FunctionCounter;
import io.micrometer.core.instrument.Timer;
import io.micrometer.core.instrument.binder.jvm.JvmMemoryMetrics;
import io.micrometer.prometheusmetrics.PrometheusConfig;
import io.micrometer.prometheusmetrics.PrometheusMeterRegistry;
import java.util.EnumMap;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import java.util.function.DoubleSupplier;
import java.util.function.LongSupplier;
import java.util.function.Supplier;
import java.util.function.ToLongFunction;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** The metrics of the pod. Tags are operations, codes and sources only, never names or keys. */
final class PodMetrics implements OperationMeter, ReadMeter, ReadEvents {

    private static final Logger LOG = LoggerFactory.getLogger(PodMetrics.class);

    private final PrometheusMeterRegistry registry =
            new PrometheusMeterRegistry(PrometheusConfig.DEFAULT);
    private final Map<Operation, Timer> operations = new EnumMap<>(Operation.class);
    private final Counter hits = pieces("hit");
    private final Counter misses = pieces("miss");

    PodMetrics() {
        for (Operation operation : Operation.values()) {
            operations.put(
                    operation,
                    Timer.builder("forebay_fuse_operations")
                            .description("Requests of the kernel and their duration")
                            .tag("operation", operation.tag())
                            .register(registry));
        }
        new JvmMemoryMetrics().bindTo(registry);
    }

    private Counter pieces(String outcome) {
        return Counter.builder("forebay_fuse_pieces")
                .description("Reads of pieces of packs, by whether the piece was in memory")
                .tag("outcome", outcome)
                .register(registry);
    }

    /** Registers a gauge whose value is read at each scrape. */
    void gauge(String name, String description, DoubleSupplier value) {
        io.micrometer.core.instrument.Gauge.builder(name, value::getAsDouble)
                .description(description)
                .register(registry);
    }

    /** Registers a counter whose value is read at each scrape. */
    void counter(String name, String description, LongSupplier value) {
        // The registry holds its objects weakly; this object stays referenced elsewhere.
        FunctionCounter.builder(name, this, _ -> value.getAsLong())
                .description(description)
                .register(registry);
    }

    /** Registers the number of versions in each view. */
    void show(Supplier<Map<View, Long>> views) {
        for (View view : View.values()) {
            io.micrometer.core.instrument.Gauge.builder(
                            "forebay_fuse_views", () -> views.get().getOrDefault(view, 0L))
                    .description("Versions by view")
                    .tag("view", view.tag())
                    .register(registry);
        }
    }

    /** Registers whether the pod serves without its node cache. */
    void showOff(Supplier<Optional<NoCacheReason>> off) {
        for (NoCacheReason reason : NoCacheReason.values()) {
            io.micrometer.core.instrument.Gauge.builder(
                            "forebay_fuse_pack_cache_off",
                            () -> off.get().filter(reason::equals).isPresent() ? 1 : 0)
                    .description("1 if this pod serves without its node cache, by reason")
                    .tag("reason", reason.tag())
                    .register(registry);
        }
    }

    /** Registers the metrics of the node cache, which are 0 until it is open. */
    void showCache(Supplier<Optional<NodePacks>> cache) {
        gauge(
                "forebay_fuse_pack_cache_capacity_bytes",
                "Disk space for packs",
                () -> value(cache, NodePacks::capacityBytes));
        gauge(
                "forebay_fuse_pack_cache_used_bytes",
                "Disk space used by packs",
                () -> value(cache, NodePacks::usedBytes));
        gauge(
                "forebay_fuse_pack_cache_complete_versions",
                "Mounted versions that are complete on the node's disk",
                () -> value(cache, NodePacks::completeVersions));
        String read = "Bytes of packs that were read, by result";
        count(cache, "read_bytes", read, "hit", CacheCounters::hitBytes);
        count(cache, "read_bytes", read, "miss", CacheCounters::missBytes);
        String changed =
                "Bytes that were written to, evicted from, swept from or scrubbed on the node's "
                        + "disk, by action";
        count(cache, "bytes", changed, "stored", CacheCounters::storedBytes);
        count(cache, "bytes", changed, "evicted", CacheCounters::evictedBytes);
        count(cache, "bytes", changed, "dead", CacheCounters::deadBytes);
        count(cache, "bytes", changed, "scrubbed", CacheCounters::scrubbedBytes);
        String failures = "Failures of the node cache, by kind";
        count(cache, "failures", failures, "damaged", CacheCounters::damagedBlocks);
        count(cache, "failures", failures, "full", CacheCounters::refused);
        count(cache, "failures", failures, "disk_error", CacheCounters::diskErrors);
        count(cache, "failures", failures, "descriptors", CacheCounters::outOfDescriptors);
    }

    private void count(
            Supplier<Optional<NodePacks>> cache,
            String name,
            String description,
            String outcome,
            ToLongFunction<CacheCounters> value) {
        FunctionCounter.builder(
                        "forebay_fuse_pack_cache_" + name,
                        this,
                        _ -> value(cache, packs -> value.applyAsLong(packs.counters())))
                .description(description)
                .tag("outcome", outcome)
                .register(registry);
    }

    private static long value(
            Supplier<Optional<NodePacks>> cache, ToLongFunction<NodePacks> value) {
        return cache.get().map(value::applyAsLong).orElse(0L);
    }

    String scrape() {
        return registry.scrape();
    }

    @Override
    public void ended(Operation operation, long nanos) {
        Timer timer = operations.get(operation);
        if (timer != null) {
            timer.record(nanos, TimeUnit.NANOSECONDS);
        }
    }

    @Override
    public void failed(Operation operation, ErrorCode code) {
        Counter.builder("forebay_fuse_errors")
                .description("Failed requests of the kernel, by error code")
                .tag("operation", operation.tag())
                .tag("code", code.name())
                .register(registry)
                .increment();
    }

    @Override
    public void pieceRead(boolean hit) {
        (hit ? hits : misses).increment();
    }

    @Override
    public void answered(WorkerNode worker, ReadAnswer answer) {
        Counter.builder("forebay_fuse_worker_bytes")
                .description("Verified bytes from workers, by the worker's source")
                .tag("source", answer.source().name().toLowerCase(Locale.ROOT))
                .register(registry)
                .increment(answer.bytes());
    }

    @Override
    public void failedAttempt(WorkerNode worker, ForebayException failure) {
        LOG.debug("{}", failure.getMessage());
        Counter.builder("forebay_fuse_worker_failures")
                .description(
                        "Failed attempts to read from a worker; another worker may have "
                                + "served the read")
                .tag("code", failure.code().name())
                .register(registry)
                .increment();
    }

    @Override
    public void hedged(WorkerNode worker, boolean won) {
        Counter.builder("forebay_fuse_hedges")
                .description("Requests to a second worker because the first one was slow")
                .tag("outcome", won ? "won" : "lost")
                .register(registry)
                .increment();
    }
}
