package dev.forebay.fuse;

import dev.forebay.thread.CatchAll;
import java.util.ArrayDeque;
import java.util.Deque;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** The started parts of a program, closed in reverse order. Not thread-safe. */
final class StartedParts implements AutoCloseable {

    private static final Logger LOG = LoggerFactory.getLogger(StartedParts.class);

    private final Deque<AutoCloseable> started = new ArrayDeque<>();

    /** Adds a part, which is closed before all earlier ones. */
    void add(AutoCloseable part) {
        started.push(part);
    }

    /** Moves a part so that it is closed before all others. */
    void closeFirst(AutoCloseable part) {
        started.remove(part);
        started.push(part);
    }

    /** Closes all parts, and continues after failures. */
    @Override
    public void close() {
        while (!started.isEmpty()) {
            AutoCloseable part = started.pop();
            boolean _ = CatchAll.run(part::close, e -> LOG.warn("Closing {} failed", part, e));
        }
    }
}
