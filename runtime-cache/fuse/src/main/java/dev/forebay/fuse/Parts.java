package dev.forebay.fuse;

import java.util.ArrayDeque;
import java.util.Deque;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Parts of a program that were started; what came last is closed first. For one thread. */
final class Parts implements AutoCloseable {

    private static final Logger LOG = LoggerFactory.getLogger(Parts.class);

    private final Deque<AutoCloseable> started = new ArrayDeque<>();

    /** Adds one that is closed before all that are there. */
    void add(AutoCloseable part) {
        started.push(part);
    }

    /** Has one that is there closed before all others that are there. */
    void closeFirst(AutoCloseable part) {
        started.remove(part);
        started.push(part);
    }

    /** Whatever fails, the others are closed too. */
    @Override
    public void close() {
        while (!started.isEmpty()) {
            AutoCloseable part = started.pop();
            try {
                part.close();
            } catch (Exception | Error e) {
                LOG.warn("Closing {} failed", part, e);
            }
        }
    }
}
