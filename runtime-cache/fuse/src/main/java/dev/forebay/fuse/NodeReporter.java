package dev.forebay.fuse;

import dev.forebay.membership.NodeEntry;
import dev.forebay.model.DatasetVersion;
import dev.forebay.thread.PeriodicTask;
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
    private final PeriodicTask task;

    // Used by the thread of the task only.
    private final Set<DatasetVersion> unproven = new HashSet<>();
    private Optional<VersionsByArrival> arrivals = Optional.empty();

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
        this.task =
                new PeriodicTask(
                        Thread.ofPlatform().daemon().name("node-report"),
                        interval,
                        "Cannot report the versions of this node in etcd",
                        this::report);
    }

    void start() {
        task.start();
    }

    /** Reports if this process serves. After a failure, the last report stays valid for a while. */
    private void report() {
        if (!serving.getAsBoolean()) {
            return;
        }
        VersionsByArrival now = arrivals.isEmpty() ? takeOver() : arrivals.get().then(find());
        arrivals = Optional.of(now);
        if (!entry.say(now.last(most))) {
            LOG.info("Another process reports the versions of this node");
        }
    }

    private VersionsByArrival takeOver() {
        List<DatasetVersion> named = entry.read();
        unproven.addAll(named);
        return VersionsByArrival.found(named, find());
    }

    private Set<DatasetVersion> find() {
        return holdings.find(unproven);
    }

    @Override
    public void close() {
        task.close();
    }
}
