package dev.forebay.membership.etcd;

import static java.nio.charset.StandardCharsets.UTF_8;

import dev.forebay.membership.Keys;
import dev.forebay.membership.MountAdmission;
import dev.forebay.membership.NodeEntry;
import dev.forebay.membership.NodeReport;
import dev.forebay.membership.Pin;
import dev.forebay.membership.QueuedVersion;
import dev.forebay.membership.RegionState;
import dev.forebay.membership.RegionView;
import dev.forebay.membership.WorkerRegistration;
import dev.forebay.membership.rows.RegionFile;
import dev.forebay.membership.rows.RegionFileWriter;
import dev.forebay.membership.rows.Rows;
import dev.forebay.model.DatasetVersion;
import dev.forebay.model.ErrorCode;
import dev.forebay.model.ForebayException;
import dev.forebay.model.ManifestRef;
import dev.forebay.model.NodeName;
import dev.forebay.model.RegionName;
import dev.forebay.model.Sibling;
import dev.forebay.placement.WorkerNode;
import io.etcd.jetcd.KeyValue;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.function.Consumer;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Implements {@link RegionState} with jetcd. One per process; it owns its threads. */
public final class EtcdRegionState implements RegionState {

    private static final Logger LOG = LoggerFactory.getLogger(EtcdRegionState.class);

    private final EtcdConnection connection;
    private final Keys keys;
    private final RegionWatch watch;
    private final Mounts mounts;
    private final PinLeases pins;
    private final Admissions admissions;

    private EtcdRegionState(EtcdConfig config, RegionName region, Optional<Path> memory) {
        this.connection = new EtcdConnection(config);
        this.keys = Keys.of(region);
        this.watch =
                new RegionWatch(
                        connection,
                        keys,
                        memory.map(
                                file -> new RegionFileWriter(new RegionFile(file, keys.root()))));
        this.mounts = new Mounts(connection, keys);
        this.pins = new PinLeases(connection, keys, mounts);
        this.admissions = new Admissions(connection, keys);
    }

    /**
     * Connects, and waits for the first snapshot for at most the request timeout.
     *
     * <p>If etcd is away, the method returns all the same, and the attempts continue in the
     * background. Until the first snapshot has been read, {@link #view} throws {@code UNAVAILABLE}.
     */
    public static EtcdRegionState connect(EtcdConfig config, RegionName region) {
        return connect(config, region, Optional.empty());
    }

    /**
     * Connects as {@link #connect(EtcdConfig, RegionName)} does, and remembers the region's rows in
     * a file. While etcd is away at the start, {@link #view} uses the file, and throws only if it
     * has none.
     */
    public static EtcdRegionState connect(EtcdConfig config, RegionName region, Path memory) {
        return connect(config, region, Optional.of(memory));
    }

    private static EtcdRegionState connect(
            EtcdConfig config, RegionName region, Optional<Path> memory) {
        EtcdRegionState state = new EtcdRegionState(config, region, memory);
        state.watch.start(config.requestTimeout());
        return state;
    }

    @Override
    public RegionView view() {
        return watch.view();
    }

    @Override
    public void onChange(Consumer<RegionView> listener) {
        watch.subscribe(listener);
    }

    @Override
    public boolean connected() {
        return watch.connected();
    }

    @Override
    public int rowsNotUnderstood() {
        return watch.rowsNotUnderstood();
    }

    @Override
    public boolean confirmedSince(long nanos) {
        return watch.confirmedSince(nanos);
    }

    @Override
    public void catchUp() {
        watch.catchUp(connection.config().requestTimeout());
    }

    @Override
    public WorkerRegistration join(WorkerNode worker) {
        keys.worker(worker.id());
        LeasedWorkerRegistration presence =
                new LeasedWorkerRegistration(connection, connection.config(), keys, worker);
        presence.start();
        return presence;
    }

    @Override
    public NodeEntry node(NodeName name, Duration life) {
        return new LeasedNodeEntry(connection, keys, name, life);
    }

    @Override
    public List<NodeReport> nodes() {
        return connection.run(session -> session.range(keys.nodes())).getKvs().stream()
                .flatMap(row -> report(row).stream())
                .toList();
    }

    private Optional<NodeReport> report(KeyValue row) {
        String name = row.getKey().toString(UTF_8).substring(keys.nodes().length());
        try {
            return Optional.of(Rows.node(new NodeName(name), row.getValue().getBytes()).report());
        } catch (ForebayException e) {
            LOG.warn("Ignoring the report of a node: {}", e.getMessage());
            return Optional.empty();
        }
    }

    @Override
    public List<RegionName> regions(int most) {
        return connection.run(session -> KnownRegions.of(session, most));
    }

    @Override
    public void remove(String workerId, Duration remembered) {
        String key = keys.worker(workerId);
        connection.run(
                session -> {
                    Optional<KeyValue> row = session.get(key);
                    if (row.isPresent()) {
                        long lease = session.grantLease(remembered);
                        boolean removed =
                                session.ifUnchanged(
                                        keys.live(workerId),
                                        0,
                                        Change.delete(key),
                                        Change.put(
                                                keys.departed(workerId),
                                                row.get().getValue().getBytes(),
                                                lease));
                        if (!removed) {
                            session.revokeLease(lease);
                        }
                    }
                    return true;
                });
    }

    @Override
    public void mount(DatasetVersion version, ManifestRef manifest) {
        mounts.mount(version, manifest);
    }

    @Override
    public Optional<QueuedVersion> admit(
            DatasetVersion version, ManifestRef manifest, MountAdmission admission) {
        return admissions.admit(version, manifest, admission);
    }

    @Override
    public void markCached(DatasetVersion version) {
        mounts.markCached(version);
    }

    @Override
    public void replicate(DatasetVersion version, int count) {
        if (count < 1 || count > MAX_REPLICAS) {
            throw new ForebayException(
                    ErrorCode.INVALID_ARGUMENT,
                    "%d replicas: it must be 1 to %d".formatted(count, MAX_REPLICAS));
        }
        set(keys.replicas(version), Rows.ofReplicas(count), count > 1);
    }

    @Override
    public void fillFrom(DatasetVersion version, List<Sibling> siblings) {
        if (siblings.size() > Sibling.MOST) {
            throw new ForebayException(
                    ErrorCode.INVALID_ARGUMENT,
                    "%d siblings: it must be 0 to %d".formatted(siblings.size(), Sibling.MOST));
        }
        set(keys.sources(version), Rows.ofSources(siblings), !siblings.isEmpty());
    }

    /** Puts a key, or removes it if its absence means the same. */
    private void set(String key, byte[] value, boolean says) {
        connection.run(
                session -> {
                    session.apply(says ? Change.put(key, value) : Change.delete(key));
                    return true;
                });
    }

    @Override
    public void pin(Pin pin) {
        pins.pin(pin);
    }

    @Override
    public Optional<Duration> renew(DatasetVersion version, String pinId) {
        return pins.renew(version, pinId);
    }

    @Override
    public Optional<Duration> remaining(DatasetVersion version, String pinId) {
        return pins.remaining(version, pinId);
    }

    @Override
    public void unpin(DatasetVersion version, String pinId) {
        pins.unpin(version, pinId);
    }

    @Override
    public boolean unpin(Pin seen) {
        return pins.unpin(seen);
    }

    @Override
    public void beginEviction(DatasetVersion version) {
        mounts.beginEviction(version, view().hiddenClaims());
    }

    @Override
    public void unmount(DatasetVersion version) {
        admissions.leave(version);
        mounts.unmount(version);
    }

    @Override
    public void close() {
        watch.close();
        connection.close();
    }
}
