package dev.forebay.control.requests;

import dev.forebay.control.regions.Regions;
import dev.forebay.model.DatasetVersion;
import dev.forebay.model.RegionName;
import io.micrometer.core.instrument.Gauge;
import io.micrometer.core.instrument.MeterRegistry;
import jakarta.inject.Inject;
import jakarta.inject.Singleton;
import java.time.Duration;
import java.util.Collection;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.function.LongSupplier;

/**
 * Counts the waiting jobs whose requests this process answers, for the metrics {@code
 * forebay_control_waiting_*}. A client that waits repeats its request. After two minutes without
 * one it counts as gone. Thread-safe.
 */
@Singleton
class WaitingJobs {

    /** Four times the maximum wait of one request. */
    private static final long GONE_NANOS = Duration.ofMinutes(2).toNanos();

    /** Bounds the number of requests that are counted. */
    private static final int MOST = 10_000;

    private final LongSupplier nanos;

    // Guarded by this.
    private final Map<Request, Waiting> requests = new HashMap<>();

    private record Request(DatasetVersion version, String id) {}

    private record Waiting(List<RegionName> regions, long sinceNanos, long askedNanos) {}

    @Inject
    WaitingJobs(Regions regions, MeterRegistry registry) {
        this(regions.names(), registry, System::nanoTime);
    }

    WaitingJobs(Collection<String> regions, MeterRegistry registry, LongSupplier nanos) {
        this.nanos = nanos;
        for (String name : regions) {
            RegionName region = new RegionName(name);
            gauge(
                    registry,
                    "waiting.requests",
                    "Waiting requests with priority interactive",
                    region,
                    () -> count(region));
            gauge(
                    registry,
                    "waiting.seconds",
                    "Waiting time of the oldest of these requests",
                    region,
                    () -> longestSeconds(region));
        }
    }

    private static void gauge(
            MeterRegistry registry,
            String name,
            String description,
            RegionName region,
            LongSupplier value) {
        Gauge.builder("forebay.control." + name, value::getAsLong)
                .description(description)
                .tag("region", region.value())
                .strongReference(true)
                .register(registry);
    }

    /** Records that a client got the answer that the version is not there yet. */
    synchronized void waits(DatasetVersion version, String id, List<RegionName> regions) {
        long now = removeGone();
        Request request = new Request(version, id);
        Waiting before = requests.get(request);
        if (before != null || requests.size() < MOST) {
            long since = before == null ? now : before.sinceNanos();
            requests.put(request, new Waiting(List.copyOf(regions), since, now));
        }
    }

    /** Records that a request was answered or cancelled. */
    synchronized void ended(DatasetVersion version, String id) {
        requests.remove(new Request(version, id));
    }

    private synchronized long count(RegionName region) {
        removeGone();
        return requests.values().stream().filter(it -> it.regions().contains(region)).count();
    }

    private synchronized long longestSeconds(RegionName region) {
        long now = removeGone();
        return requests.values().stream()
                .filter(it -> it.regions().contains(region))
                .mapToLong(it -> Duration.ofNanos(now - it.sinceNanos()).toSeconds())
                .max()
                .orElse(0);
    }

    private long removeGone() {
        long now = nanos.getAsLong();
        requests.values().removeIf(it -> now - it.askedNanos() > GONE_NANOS);
        return now;
    }
}
