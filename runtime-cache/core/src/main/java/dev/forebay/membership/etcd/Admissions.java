package dev.forebay.membership.etcd;

import static dev.forebay.membership.etcd.Change.delete;
import static dev.forebay.membership.etcd.Change.put;
import static java.nio.charset.StandardCharsets.UTF_8;

import dev.forebay.membership.Keys;
import dev.forebay.membership.Mount;
import dev.forebay.membership.MountAdmission;
import dev.forebay.membership.QueuedVersion;
import dev.forebay.membership.RegionView;
import dev.forebay.membership.etcd.EtcdSession.Unchanged;
import dev.forebay.membership.rows.RegionTable;
import dev.forebay.membership.rows.Rows;
import dev.forebay.model.DatasetVersion;
import dev.forebay.model.ForebayException;
import dev.forebay.model.ManifestRef;
import io.etcd.jetcd.KeyValue;
import java.time.Duration;
import java.util.List;
import java.util.Optional;

/**
 * Admits versions to the mount table, one at a time. Each entry requires that the gate row is
 * unchanged since the region was read, and writes it. Two versions that fit only alone thus never
 * both enter. An unmount need not write the gate, because it only frees space.
 */
final class Admissions {

    /**
     * A waiting version asks again within seconds. One that stops asking, because its process died,
     * blocks the queue no longer than this.
     */
    private static final Duration WAITING_LEASE = Duration.ofMinutes(2);

    private final EtcdConnection connection;
    private final Keys keys;

    Admissions(EtcdConnection connection, Keys keys) {
        this.connection = connection;
        this.keys = keys;
    }

    /** One read of the region: its view and the rows that an entry compares. */
    private record Reading(
            RegionView view, long gateRevision, long mountRevision, Optional<KeyValue> waiting) {}

    /**
     * Mounts the version if the admission check admits it, and returns empty. Otherwise queues it
     * and returns its place in the queue.
     */
    Optional<QueuedVersion> admit(
            DatasetVersion version, ManifestRef manifest, MountAdmission admission) {
        return connection.run(
                session -> {
                    while (true) {
                        Reading reading = read(session, version);
                        Optional<Mount> mount = mount(reading.view, version);
                        mount.ifPresent(Mounts::requireUsable);
                        if (mount.isEmpty() && reading.mountRevision != 0) {
                            throw Mounts.ofLaterRelease(Keys.MOUNTS + "/" + version.path());
                        }
                        if (mount.filter(there -> there.manifest().equals(manifest)).isPresent()) {
                            reading.waiting.ifPresent(there -> leave(session, there));
                            return Optional.empty();
                        }
                        Optional<QueuedVersion> waits = judged(session, reading, admission);
                        if (waits.isPresent()) {
                            queue(session, waits.get(), reading);
                            return waits;
                        }
                        if (entered(session, version, manifest, reading)) {
                            return Optional.empty();
                        }
                        // Another version has entered. The session's deadline ends the retries.
                    }
                });
    }

    /** Removes the version from the queue. Does nothing if it is not there. */
    void leave(DatasetVersion version) {
        connection.run(
                session -> {
                    session.get(keys.waiting(version)).ifPresent(there -> leave(session, there));
                    return true;
                });
    }

    private Reading read(EtcdSession session, DatasetVersion version) {
        RegionTable table = new RegionTable();
        long gate = 0;
        long mount = 0;
        Optional<KeyValue> waiting = Optional.empty();
        for (KeyValue pair : session.range(keys.root()).getKvs()) {
            String key = pair.getKey().toString(UTF_8);
            if (key.equals(keys.gate())) {
                gate = pair.getModRevision();
            } else if (key.equals(keys.mount(version))) {
                mount = pair.getModRevision();
            } else if (key.equals(keys.waiting(version))) {
                waiting = Optional.of(pair);
            }
            table.put(
                    key.substring(keys.root().length()),
                    pair.getValue().getBytes(),
                    pair.getModRevision());
        }
        return new Reading(table.view(), gate, mount, waiting);
    }

    /** Asks the admission check. A version that it refuses for good leaves the queue. */
    private static Optional<QueuedVersion> judged(
            EtcdSession session, Reading reading, MountAdmission admission) {
        try {
            return admission.judge(reading.view);
        } catch (ForebayException refused) {
            if (!refused.retryable()) {
                reading.waiting.ifPresent(there -> leave(session, there));
            }
            throw refused;
        }
    }

    private boolean entered(
            EtcdSession session, DatasetVersion version, ManifestRef manifest, Reading reading) {
        Change enter = put(keys.mount(version), Rows.of(manifest, Mount.State.WARMING));
        Change touch = put(keys.gate(), Rows.ofGate(version));
        boolean entered =
                session.ifUnchanged(
                        List.of(
                                new Unchanged(keys.gate(), reading.gateRevision),
                                new Unchanged(keys.mount(version), reading.mountRevision)),
                        enter,
                        touch,
                        delete(keys.waiting(version)));
        if (entered) {
            reading.waiting.map(KeyValue::getLease).ifPresent(session::revokeLease);
        }
        return entered;
    }

    private void queue(EtcdSession session, QueuedVersion queued, Reading reading) {
        long lease = session.grantLease(WAITING_LEASE);
        session.apply(put(keys.waiting(queued.version()), Rows.of(queued), lease));
        reading.waiting.map(KeyValue::getLease).ifPresent(session::revokeLease);
    }

    /** Ends the lease, and with it the row. */
    private static void leave(EtcdSession session, KeyValue waiting) {
        session.revokeLease(waiting.getLease());
    }

    private static Optional<Mount> mount(RegionView view, DatasetVersion version) {
        return view.mounts().stream().filter(each -> each.version().equals(version)).findFirst();
    }
}
