package dev.forebay.membership.etcd;

import static dev.forebay.membership.etcd.Change.delete;
import static dev.forebay.membership.etcd.Change.put;
import static java.nio.charset.StandardCharsets.UTF_8;

import dev.forebay.membership.Keys;
import dev.forebay.membership.Mount;
import dev.forebay.membership.Mount.State;
import dev.forebay.membership.Pin;
import dev.forebay.membership.etcd.EtcdCalls.KeyAndRange;
import dev.forebay.membership.rows.Row;
import dev.forebay.membership.rows.Rows;
import dev.forebay.model.DatasetVersion;
import dev.forebay.model.ErrorCode;
import dev.forebay.model.ForebayException;
import dev.forebay.model.ManifestRef;
import io.etcd.jetcd.ByteSequence;
import io.etcd.jetcd.KeyValue;
import java.util.List;
import java.util.Optional;
import java.util.function.Supplier;
import java.util.stream.Collectors;

/**
 * Changes the mount table.
 *
 * <p>Each change reads, decides, and writes on condition that the mount's row is unchanged. A pin
 * touches that row too. If the condition fails, the change reads again.
 */
final class Mounts {

    /**
     * A row of the mount table: the parsed mount, the value as stored, and the modification
     * revision.
     */
    record Current(Mount mount, ByteSequence value, long revision) {

        /**
         * Returns a change that writes the row as it is, so that an eviction that has read it
         * fails.
         */
        Change touch(String key) {
            return put(key, value.getBytes());
        }

        Change in(State state, String key) {
            return put(key, Rows.with(state, value.getBytes()));
        }
    }

    private final EtcdAccess etcd;
    private final Keys keys;

    Mounts(EtcdAccess etcd, Keys keys) {
        this.etcd = etcd;
        this.keys = keys;
    }

    void mount(DatasetVersion version, ManifestRef manifest) {
        String key = keys.mount(version);
        untilDecided(
                session -> {
                    Optional<Current> current = current(session.get(key));
                    current.map(Current::mount).ifPresent(Mounts::requireUsable);
                    boolean there =
                            current.filter(is -> is.mount.manifest().equals(manifest)).isPresent();
                    return there
                            || session.ifUnchanged(
                                    key,
                                    current.map(Current::revision).orElse(0L),
                                    put(key, Rows.of(manifest, State.WARMING)),
                                    put(keys.gate(), Rows.ofGate(version)));
                });
    }

    void markCached(DatasetVersion version) {
        String key = keys.mount(version);
        untilDecided(
                session -> {
                    Current current = current(session.get(key)).orElseThrow(notMounted(version));
                    requireUsable(current.mount);
                    return current.mount.state() == State.CACHED
                            || session.ifUnchanged(
                                    key, current.revision, current.in(State.CACHED, key));
                });
    }

    /**
     * @param hidden the keys of rows that may claim any version
     */
    void beginEviction(DatasetVersion version, List<String> hidden) {
        String key = keys.mount(version);
        untilDecided(
                session -> {
                    KeyAndRange read = session.getWithRange(key, keys.pinsOf(version));
                    read.key().ifPresent(row -> requireUnclaimed(version, row));
                    Optional<Current> current = current(read.key());
                    if (current.isEmpty() || current.get().mount.state() == State.EVICTING) {
                        return true;
                    }
                    if (!read.range().isEmpty()) {
                        throw pinned(version, read.range());
                    }
                    if (!hidden.isEmpty()) {
                        throw mayBeClaimed(version, hidden.getFirst());
                    }
                    return session.ifUnchanged(
                            key, current.get().revision, current.get().in(State.EVICTING, key));
                });
    }

    void unmount(DatasetVersion version) {
        String key = keys.mount(version);
        untilDecided(
                session -> {
                    Optional<Current> current = current(session.get(key));
                    if (current.isEmpty()) {
                        // A fill that was given up while it waited for space left this row.
                        return session.ifUnchanged(key, 0, delete(keys.sources(version)));
                    }
                    requireUnderstood(current.get().mount);
                    if (current.get().mount.state() != State.EVICTING) {
                        throw new ForebayException(
                                ErrorCode.INTERNAL,
                                "%s is %s; only an EVICTING version can be unmounted"
                                        .formatted(version, current.get().mount.state()));
                    }
                    return session.ifUnchanged(
                            key,
                            current.get().revision,
                            delete(key),
                            delete(keys.sources(version)));
                });
    }

    /** One attempt to read, decide and write. Returns false if it must be repeated. */
    interface Turn {
        boolean decided(EtcdCalls session);
    }

    private void untilDecided(Turn turn) {
        etcd.with(
                session -> {
                    while (!turn.decided(session)) {
                        // Another process changed the row. The session's deadline ends the retries.
                    }
                    return true;
                });
    }

    Optional<Current> current(Optional<KeyValue> pair) {
        return pair.map(read -> new Current(mount(read), read.getValue(), read.getModRevision()));
    }

    private Mount mount(KeyValue pair) {
        try {
            return ((Row.Mounted) Rows.parse(key(pair), pair.getValue().getBytes())).mount();
        } catch (ForebayException e) {
            throw ofLaterRelease(key(pair));
        }
    }

    /**
     * Returns the pin in a row. If the row is not understood, the pin has only what its key says.
     */
    Pin pin(KeyValue pair) {
        Row row = understood(pair).or(() -> Rows.ofKey(key(pair))).orElseThrow();
        return ((Row.Pinned) row).pin();
    }

    /** Returns the parsed row, or empty if a later release wrote it in another form. */
    Optional<Row> understood(KeyValue pair) {
        try {
            return Optional.of(Rows.parse(key(pair), pair.getValue().getBytes()));
        } catch (ForebayException e) {
            return Optional.empty();
        }
    }

    private String key(KeyValue pair) {
        return pair.getKey().toString(UTF_8).substring(keys.root().length());
    }

    static void requireUsable(Mount mount) {
        requireUnderstood(mount);
        if (mount.state() == State.EVICTING) {
            throw new ForebayException(
                    ErrorCode.EVICTING,
                    "%s is being evicted: retry after the eviction".formatted(mount.version()));
        }
    }

    private static void requireUnderstood(Mount mount) {
        if (mount.state() == State.UNKNOWN) {
            throw ofLaterRelease(Keys.MOUNTS + "/" + mount.version().path());
        }
    }

    private void requireUnclaimed(DatasetVersion version, KeyValue row) {
        boolean understood =
                understood(row).orElse(null) instanceof Row.Mounted(Mount mount)
                        && mount.state() != State.UNKNOWN;
        if (!understood) {
            throw mayBeClaimed(version, key(row));
        }
    }

    /**
     * Creates a PINNED failure, so that the version stays in use until this process understands the
     * row.
     */
    static ForebayException mayBeClaimed(DatasetVersion version, String key) {
        return new ForebayException(
                ErrorCode.PINNED,
                "%s may be held by etcd key %s, which a later release wrote: upgrade this region's agent"
                        .formatted(version, key));
    }

    /** Creates a failure without a cause, so that {@link EtcdConnection#run} does not retry it. */
    static ForebayException ofLaterRelease(String key) {
        return new ForebayException(
                ErrorCode.UNAVAILABLE,
                "cannot read etcd key %s, because a later release wrote it: upgrade this region's agent"
                        .formatted(key));
    }

    private String holder(KeyValue row) {
        return understood(row).or(() -> Rows.ofKey(key(row))).orElse(null)
                        instanceof Row.Pinned(Pin pin)
                ? "%s (pin %s)".formatted(pin.holder(), pin.id())
                : "etcd key %s, which a later release wrote: upgrade this region's agent"
                        .formatted(key(row));
    }

    static Supplier<ForebayException> notMounted(DatasetVersion version) {
        return () ->
                new ForebayException(
                        ErrorCode.NOT_FOUND, version + " is not mounted in this region");
    }

    private ForebayException pinned(DatasetVersion version, List<KeyValue> pins) {
        String holders =
                pins.stream().map(this::holder).limit(10).collect(Collectors.joining(", "));
        return new ForebayException(
                ErrorCode.PINNED,
                "%s has %d pins: %s. 'forebay pins --leaked' lists pins whose owners seem to be gone"
                        .formatted(version, pins.size(), holders));
    }
}
