package dev.forebay.worker.accounts;

import dev.forebay.model.Digest;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.LongAdder;

/**
 * What readers were sent, by manifest, and nobody has taken note of yet: a read waits for no file
 * and no lock. Safe for use by many threads.
 */
final class ServedReads {

    private final Map<Digest, Sum> sums = new ConcurrentHashMap<>();

    private record Sum(LongAdder requests, LongAdder bytes) {}

    /** Takes note of requests and their bytes. */
    interface Taker {

        void take(Digest manifest, long requests, long bytes);
    }

    /** One more request was answered. */
    void add(Digest manifest, long bytes) {
        Sum sum = sums.computeIfAbsent(manifest, _ -> new Sum(new LongAdder(), new LongAdder()));
        sum.bytes().add(bytes);
        // Last: who takes a request has its bytes.
        sum.requests().increment();
    }

    /** Hands over all there is; afterwards only {@code mounted} manifests have a sum. */
    void take(Set<Digest> mounted, Taker taker) {
        sums.forEach(
                (manifest, sum) -> {
                    long requests = sum.requests().sumThenReset();
                    if (requests > 0) {
                        taker.take(manifest, requests, sum.bytes().sumThenReset());
                    }
                });
        sums.keySet().retainAll(mounted);
    }
}
