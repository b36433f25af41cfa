package dev.forebay.membership.rows;

import com.fasterxml.jackson.annotation.JsonInclude;
import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.DeserializationFeature;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.ObjectReader;
import com.fasterxml.jackson.databind.json.JsonMapper;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.forebay.membership.Keys;
import dev.forebay.membership.Mount;
import dev.forebay.membership.Mount.State;
import dev.forebay.membership.NodeReport;
import dev.forebay.membership.Pin;
import dev.forebay.membership.QueuedVersion;
import dev.forebay.membership.RegionState;
import dev.forebay.model.DatasetVersion;
import dev.forebay.model.Digest;
import dev.forebay.model.ErrorCode;
import dev.forebay.model.ForebayException;
import dev.forebay.model.ManifestRef;
import dev.forebay.model.NodeName;
import dev.forebay.model.Sibling;
import dev.forebay.placement.WorkerNode;
import java.io.IOException;
import java.net.URI;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * Converts rows to JSON values and back. Members that a later release added are ignored, and kept
 * when the row is changed. A mount state that is not known becomes {@link State#UNKNOWN}.
 */
public final class Rows {

    private static final ObjectMapper JSON =
            JsonMapper.builder()
                    .disable(DeserializationFeature.FAIL_ON_UNKNOWN_PROPERTIES)
                    .enable(DeserializationFeature.FAIL_ON_NUMBERS_FOR_ENUMS)
                    .enable(DeserializationFeature.READ_UNKNOWN_ENUM_VALUES_USING_DEFAULT_VALUE)
                    .enable(DeserializationFeature.FAIL_ON_NULL_CREATOR_PROPERTIES)
                    .enable(DeserializationFeature.FAIL_ON_MISSING_CREATOR_PROPERTIES)
                    .build();

    private record WorkerValue(URI address, long capacityBytes) {}

    private record LiveValue(String incarnation) {}

    private record ManifestValue(String uri, String digest, long objects, long bytes, long chunks) {

        static ManifestValue of(ManifestRef manifest) {
            return new ManifestValue(
                    manifest.uri(),
                    manifest.digest().hex(),
                    manifest.objects(),
                    manifest.bytes(),
                    manifest.chunks());
        }

        ManifestRef toRef() {
            return new ManifestRef(uri, new Digest(digest), objects, bytes, chunks);
        }
    }

    private record MountValue(
            String uri, String digest, long objects, long bytes, long chunks, State state) {}

    private record ReplicasValue(int count) {}

    private record SourcesValue(List<Sibling> siblings) {}

    private record WaitingValue(
            ManifestValue manifest,
            long bytes,
            int rank,
            long sinceMillis,
            boolean steppedAside,
            String reason) {}

    private record GateValue(String entered) {}

    private record NodeValue(String incarnation, List<String> versions) {}

    /**
     * The entry of a node, as one process wrote it.
     *
     * @param incarnation identifies the process
     */
    public record NodeRow(String incarnation, NodeReport report) {}

    /** Omits an absent job, and a renewal that has not happened. */
    @JsonInclude(JsonInclude.Include.NON_NULL)
    private record PinValue(
            @Nullable String holder,
            @Nullable String reason,
            long leaseSeconds,
            @Nullable String job,
            @JsonInclude(JsonInclude.Include.NON_DEFAULT) boolean renewed) {}

    private static final ObjectReader PIN =
            JSON.readerFor(PinValue.class)
                    .without(DeserializationFeature.FAIL_ON_MISSING_CREATOR_PROPERTIES)
                    .without(DeserializationFeature.FAIL_ON_NULL_CREATOR_PROPERTIES);

    private Rows() {}

    public static byte[] of(WorkerNode worker) {
        return json(new WorkerValue(worker.address(), worker.capacityBytes()));
    }

    public static byte[] ofIncarnation(String incarnation) {
        return json(new LiveValue(incarnation));
    }

    public static byte[] of(ManifestRef manifest, State state) {
        return json(
                new MountValue(
                        manifest.uri(),
                        manifest.digest().hex(),
                        manifest.objects(),
                        manifest.bytes(),
                        manifest.chunks(),
                        state));
    }

    /** Returns a mount's row in another state, with all members that this release does not know. */
    public static byte[] with(State state, byte[] mount) {
        return with("state", state.name(), mount);
    }

    /** Returns a pin's row as renewed, with all members that this release does not know. */
    public static byte[] asRenewed(byte[] pin) {
        return with("renewed", true, pin);
    }

    private static byte[] with(String member, Object value, byte[] row) {
        try {
            ObjectNode changed = (ObjectNode) JSON.readTree(row);
            changed.putPOJO(member, value);
            return JSON.writeValueAsBytes(changed);
        } catch (IOException e) {
            throw new AssertionError("this row was read before", e);
        }
    }

    public static byte[] ofReplicas(int count) {
        return json(new ReplicasValue(count));
    }

    public static byte[] of(QueuedVersion queued) {
        return json(
                new WaitingValue(
                        ManifestValue.of(queued.manifest()),
                        queued.bytes(),
                        queued.rank(),
                        queued.since().toEpochMilli(),
                        queued.steppedAside(),
                        queued.reason()));
    }

    /** Returns the gate's row, which names the last version that entered, for people only. */
    public static byte[] ofGate(DatasetVersion entered) {
        return json(new GateValue(entered.toString()));
    }

    public static byte[] ofSources(List<Sibling> siblings) {
        return json(new SourcesValue(siblings));
    }

    public static byte[] of(Pin pin) {
        return json(
                new PinValue(
                        pin.holder(),
                        pin.reason(),
                        pin.lease().toSeconds(),
                        pin.job(),
                        pin.renewed()));
    }

    public static byte[] of(NodeRow row) {
        return json(
                new NodeValue(
                        row.incarnation,
                        row.report.versions().stream().map(DatasetVersion::toString).toList()));
    }

    /**
     * Parses the entry of a node.
     *
     * @throws ForebayException {@code CORRUPT} if it is not understood
     */
    public static NodeRow node(NodeName node, byte[] value) {
        try {
            NodeValue read = JSON.readValue(value, NodeValue.class);
            return new NodeRow(
                    read.incarnation,
                    new NodeReport(
                            node, read.versions.stream().map(DatasetVersion::parse).toList()));
        } catch (IOException | RuntimeException e) {
            throw notUnderstood("of node " + node, e);
        }
    }

    /**
     * Parses a row from its {@code key}, without the region's root, and its value.
     *
     * @throws ForebayException {@code CORRUPT} if they are not understood
     */
    public static Row parse(String key, byte[] value) {
        try {
            String[] parts = Keys.names(key);
            return switch (parts[0]) {
                case Keys.WORKERS -> new Row.Worker(node(parts[1], value));
                case Keys.LIVE -> new Row.Live(parts[1]);
                case Keys.DEPARTED -> new Row.Departed(node(parts[1], value));
                case Keys.MOUNTS -> new Row.Mounted(mount(version(parts), value));
                case Keys.REPLICAS -> replicated(version(parts), value);
                case Keys.QUEUE -> new Row.Waiting(queued(version(parts), value));
                case Keys.GATE -> new Row.Gate();
                case Keys.SOURCES -> sourced(version(parts), value);
                case Keys.PINS -> new Row.Pinned(pin(version(parts), parts[4], value));
                default -> throw new IOException("no such kind of key");
            };
        } catch (IOException | RuntimeException e) {
            throw notUnderstood("'" + key + "'", e);
        }
    }

    /**
     * Returns the content that the key of a row alone implies: the key of a pin means that its
     * version is pinned.
     */
    public static Optional<Row> ofKey(String key) {
        try {
            String[] parts = Keys.names(key);
            return parts[0].equals(Keys.PINS)
                    ? Optional.of(new Row.Pinned(Pin.ofLaterRelease(version(parts), parts[4])))
                    : Optional.empty();
        } catch (IOException | ForebayException ofLaterRelease) {
            return Optional.empty();
        }
    }

    private static ForebayException notUnderstood(String key, Exception why) {
        return new ForebayException(
                ErrorCode.CORRUPT, "cannot read etcd key %s: %s".formatted(key, why), why);
    }

    private static WorkerNode node(String id, byte[] value) throws IOException {
        WorkerValue read = JSON.readValue(value, WorkerValue.class);
        if (read.address.getHost() == null || read.address.getPort() < 1) {
            throw new IOException(read.address + " is not an address with a host and a port");
        }
        return new WorkerNode(id, read.address, read.capacityBytes);
    }

    private static Mount mount(DatasetVersion version, byte[] value) throws IOException {
        MountValue read = JSON.readValue(value, MountValue.class);
        ManifestRef manifest =
                new ManifestRef(
                        read.uri, new Digest(read.digest), read.objects, read.bytes, read.chunks);
        return new Mount(version, manifest, read.state);
    }

    private static Row replicated(DatasetVersion version, byte[] value) throws IOException {
        int count = JSON.readValue(value, ReplicasValue.class).count;
        if (count < 1 || count > RegionState.MAX_REPLICAS) {
            throw new IOException("not 1 to " + RegionState.MAX_REPLICAS + " replicas");
        }
        return new Row.Replicated(version, count);
    }

    private static QueuedVersion queued(DatasetVersion version, byte[] value) throws IOException {
        WaitingValue read = JSON.readValue(value, WaitingValue.class);
        return new QueuedVersion(
                version,
                read.manifest.toRef(),
                read.bytes,
                read.rank,
                Instant.ofEpochMilli(read.sinceMillis),
                read.steppedAside,
                read.reason);
    }

    private static Row sourced(DatasetVersion version, byte[] value) throws IOException {
        return new Row.Sourced(
                version, List.copyOf(JSON.readValue(value, SourcesValue.class).siblings));
    }

    private static Pin pin(DatasetVersion version, String id, byte[] value) throws IOException {
        PinValue read = PIN.readValue(value);
        if (read.holder == null || read.reason == null || read.leaseSeconds < 1) {
            throw new IOException("a pin without holder, reason or lease");
        }
        return new Pin(
                version,
                id,
                read.holder,
                read.reason,
                Duration.ofSeconds(read.leaseSeconds),
                read.job,
                read.renewed);
    }

    private static DatasetVersion version(String[] parts) {
        return DatasetVersion.of(parts[1], parts[2], parts[3]);
    }

    private static byte[] json(Object value) {
        try {
            return JSON.writeValueAsBytes(value);
        } catch (JsonProcessingException e) {
            throw new AssertionError("a record of plain values", e);
        }
    }
}
