package dev.forebay.fuse.nodecache;

import dev.forebay.fuse.linux.ErrorNumber;
import dev.forebay.fuse.linux.SystemCallException;
import java.io.IOException;
import java.time.Duration;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Whether the disk is worth asking: after a failure it is left alone for a while. */
final class Disk {

    private static final Logger LOG = LoggerFactory.getLogger(Disk.class);

    private static final Duration REST = Duration.ofSeconds(30);

    private final CacheCounters counters;
    private volatile long restsSince = System.nanoTime() - REST.toNanos();

    Disk(CacheCounters counters) {
        this.counters = counters;
    }

    boolean isUsable() {
        return System.nanoTime() - restsSince >= REST.toNanos();
    }

    void failed(IOException failure) {
        counters.diskErrors.increment();
        if (isUsable()) {
            LOG.warn("The node cache steps aside for {}: {}", REST, failure.toString());
        }
        restsSince = System.nanoTime();
    }

    /** Whether there is just no room. */
    static boolean isFull(IOException failure) {
        return failure instanceof SystemCallException call
                && (call.errno() == ErrorNumber.ENOSPC || call.errno() == ErrorNumber.EDQUOT);
    }
}
