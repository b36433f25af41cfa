package dev.forebay.worker.accounts;

import dev.forebay.model.Digest;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.LongAdder;

/**
 * Sums of the bytes sent to readers, by manifest, until they are moved to the accounts. A read
 * therefore waits for no file and no lock. Safe for use by many threads.
 */
final class ServedReads {

    private final Map<Digest, Sum> sums = new ConcurrentHashMap<>();

    private record Sum(LongAdder requests, LongAdder bytes) {}

    /** Receives the sums of one manifest. */
    interface Sink {

        void take(Digest manifest, long requests, long bytes);
    }

    /** Adds one answered request. */
    void add(Digest manifest, long bytes) {
        Sum sum = sums.computeIfAbsent(manifest, _ -> new Sum(new LongAdder(), new LongAdder()));
        sum.bytes().add(bytes);
        // Last, so that a collected request always has its bytes.
        sum.requests().increment();
    }

    /** Hands over all sums. Afterwards only {@code mounted} manifests have one. */
    void take(Set<Digest> mounted, Sink sink) {
        sums.forEach(
                (manifest, sum) -> {
                    long requests = sum.requests().sumThenReset();
                    if (requests > 0) {
                        sink.take(manifest, requests, sum.bytes().sumThenReset());
                    }
                });
        sums.keySet().retainAll(mounted);
    }
}
