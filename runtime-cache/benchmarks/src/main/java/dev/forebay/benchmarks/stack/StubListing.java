package dev.forebay.benchmarks.stack;

import dev.forebay.lake.KeyOrder;
import dev.forebay.lake.LakeObject;
import dev.forebay.lake.Listing;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.atomic.LongAdder;
import java.util.concurrent.locks.LockSupport;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;

/** A computed listing that answers each request after a delay, like a distant store. */
public final class StubListing implements Listing {

    private final SyntheticVersion version;
    private final Duration latency;
    private final LongAdder requests = new LongAdder();

    public StubListing(SyntheticVersion version, Duration latency) {
        this.version = version;
        this.latency = latency;
    }

    public long requests() {
        return requests.sum();
    }

    @Override
    public Page page(@Nullable String after, int limit) {
        requests.increment();
        LockSupport.parkNanos(latency.toNanos());
        int from = after == null ? 0 : firstBehind(after);
        int to = Math.min(version.objects(), from + limit);
        List<LakeObject> objects = IntStream.range(from, to).mapToObj(version::object).toList();
        return new Page(objects, to == version.objects() ? null : objects.getLast().key());
    }

    /**
     * Returns the number of the first object behind a key, by binary search: numbers and keys have
     * the same order.
     */
    private int firstBehind(String key) {
        int low = 0;
        int high = version.objects();
        while (low < high) {
            int middle = (low + high) >>> 1;
            if (KeyOrder.UTF8.compare(version.object(middle).key(), key) <= 0) {
                low = middle + 1;
            } else {
                high = middle;
            }
        }
        return low;
    }
}
