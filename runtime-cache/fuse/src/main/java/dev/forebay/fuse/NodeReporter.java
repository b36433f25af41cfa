package dev.forebay.fuse;

import dev.forebay.membership.NodeEntry;
import dev.forebay.model.DatasetVersion;
import dev.forebay.thread.Closing;
import java.time.Duration;
import java.util.HashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.function.BooleanSupplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Reports in etcd what this node holds, while this process serves the node's mount. At most one
 * process of a node serves. The report stays when this process ends, because its successor
 * continues it. Without a successor it expires.
 */
final class NodeReporter implements AutoCloseable {

    private static final Logger LOG = LoggerFactory.getLogger(NodeReporter.class);

    private final NodeEntry entry;
    private final BooleanSupplier serving;
    private final NodeHoldings holdings;
    private final int most;
    private final Duration interval;
    private final Closing closing = new Closing();
    private final Thread thread =
            Thread.ofPlatform().daemon().name("node-report").unstarted(this::run);

    // Used by the thread only.
    private final Set<DatasetVersion> unproven = new HashSet<>();
    private Optional<Arrivals> arrivals = Optional.empty();
    private boolean failing;

    /**
     * @param serving returns whether this process serves the mount now
     * @param most the maximum number of versions in the report
     * @param interval the time between two checks, and the minimum time between two writes
     */
    NodeReporter(
            NodeEntry entry,
            BooleanSupplier serving,
            NodeHoldings holdings,
            int most,
            Duration interval) {
        this.entry = entry;
        this.serving = serving;
        this.holdings = holdings;
        this.most = most;
        this.interval = interval;
    }

    void start() {
        thread.start();
    }

    private void run() {
        do {
            try {
                if (serving.getAsBoolean()) {
                    report();
                }
                failing = false;
            } catch (RuntimeException | Error e) {
                // The last report stays valid for a while.
                if (!failing) {
                    LOG.warn("What this node holds cannot be said at the moment", e);
                }
                failing = true;
            }
        } while (!closing.within(interval));
    }

    private void report() {
        Arrivals now = arrivals.isEmpty() ? takeOver() : arrivals.get().then(look());
        arrivals = Optional.of(now);
        if (!entry.say(now.last(most))) {
            LOG.info("Another process says what this node holds");
        }
    }

    private Arrivals takeOver() {
        List<DatasetVersion> named = entry.read();
        unproven.addAll(named);
        return Arrivals.found(named, look());
    }

    private Set<DatasetVersion> look() {
        return holdings.look(unproven);
    }

    @Override
    public void close() {
        closing.begin();
    }
}
