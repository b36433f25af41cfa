package dev.forebay.membership.etcd;

import static dev.forebay.membership.etcd.Change.NO_LEASE;
import static dev.forebay.membership.etcd.Change.put;

import dev.forebay.membership.Keys;
import dev.forebay.membership.NodeEntry;
import dev.forebay.membership.NodeReport;
import dev.forebay.membership.rows.Rows;
import dev.forebay.membership.rows.Rows.NodeRow;
import dev.forebay.model.DatasetVersion;
import dev.forebay.model.ForebayException;
import dev.forebay.model.NodeName;
import io.etcd.jetcd.KeyValue;
import java.time.Duration;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import java.util.UUID;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Implements {@link NodeEntry} as one row under a lease. A write requires that the row is unchanged
 * since this process read it, so a delayed write never replaces the row of a successor.
 */
final class LeasedNodeEntry implements NodeEntry {

    private static final Logger LOG = LoggerFactory.getLogger(LeasedNodeEntry.class);

    private final EtcdAccess etcd;
    private final NodeName node;
    private final String key;
    private final Duration life;
    private final String incarnation = UUID.randomUUID().toString();

    // Guarded by this.
    private long lease = NO_LEASE;
    private boolean taken;

    /**
     * @param life the lifetime of the row after the last write or renewal, in whole seconds, at
     *     least 1
     */
    LeasedNodeEntry(EtcdAccess etcd, Keys keys, NodeName node, Duration life) {
        this.etcd = etcd;
        this.node = node;
        this.key = keys.node(node);
        this.life = life;
    }

    @Override
    public List<DatasetVersion> read() {
        return etcd.with(calls -> calls.get(key))
                .flatMap(this::understood)
                .map(row -> row.report().versions())
                .orElse(List.of());
    }

    @Override
    public synchronized boolean say(List<DatasetVersion> versions) {
        byte[] value = Rows.of(new NodeRow(incarnation, new NodeReport(node, versions)));
        return etcd.with(calls -> say(calls, value));
    }

    private boolean say(EtcdCalls calls, byte[] value) {
        if (lease == NO_LEASE || calls.renewLease(lease).isEmpty()) {
            lease = calls.grantLease(life);
        }
        Optional<KeyValue> there = calls.get(key);
        if (taken && there.isPresent() && !isOurs(there.get())) {
            return false;
        }
        // The answer to an earlier write may have been lost, and with it the lease of the row.
        boolean said =
                there.filter(row -> row.getLease() == lease)
                        .filter(row -> Arrays.equals(row.getValue().getBytes(), value))
                        .isPresent();
        if (!said) {
            long revision = there.map(KeyValue::getModRevision).orElse(0L);
            said = calls.ifUnchanged(key, revision, put(key, value, lease));
        }
        taken |= said;
        return said;
    }

    private boolean isOurs(KeyValue row) {
        return understood(row).filter(it -> it.incarnation().equals(incarnation)).isPresent();
    }

    private Optional<NodeRow> understood(KeyValue row) {
        try {
            return Optional.of(Rows.node(node, row.getValue().getBytes()));
        } catch (ForebayException e) {
            LOG.warn("Ignoring the report of node {}: {}", node, e.getMessage());
            return Optional.empty();
        }
    }
}
