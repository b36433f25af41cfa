package dev.forebay.membership;

import static dev.forebay.membership.Change.delete;
import static dev.forebay.membership.Change.put;
import static java.nio.charset.StandardCharsets.UTF_8;

import dev.forebay.membership.EtcdCalls.KeyAndRange;
import dev.forebay.membership.Mount.State;
import dev.forebay.model.DatasetVersion;
import dev.forebay.model.ErrorCode;
import dev.forebay.model.ForebayException;
import dev.forebay.model.ManifestRef;
import io.etcd.jetcd.KeyValue;
import java.util.List;
import java.util.Optional;
import java.util.function.Supplier;
import java.util.stream.Collectors;

/**
 * Changes to the mount table.
 *
 * <p>Each reads, decides, and writes on condition that the mount's key is still what was read; a
 * pin touches that key too. If the condition fails it reads again.
 */
final class Mounts {

    /** A mount's row and its modification revision. */
    record Current(Mount mount, long revision) {}

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
                    current.ifPresent(Mounts::requireNotEvicting);
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
                    requireNotEvicting(current);
                    return current.mount.state() == State.CACHED
                            || session.ifUnchanged(
                                    key,
                                    current.revision,
                                    put(key, Rows.of(current.mount.manifest(), State.CACHED)));
                });
    }

    void beginEviction(DatasetVersion version) {
        String key = keys.mount(version);
        untilDecided(
                session -> {
                    KeyAndRange read = session.getWithRange(key, keys.pinsOf(version));
                    Optional<Current> current = current(read.key());
                    if (current.isEmpty() || current.get().mount.state() == State.EVICTING) {
                        return true;
                    }
                    if (!read.range().isEmpty()) {
                        throw pinned(version, read.range());
                    }
                    return session.ifUnchanged(
                            key,
                            current.get().revision,
                            put(key, Rows.of(current.get().mount.manifest(), State.EVICTING)));
                });
    }

    void unmount(DatasetVersion version) {
        String key = keys.mount(version);
        untilDecided(
                session -> {
                    Optional<Current> current = current(session.get(key));
                    if (current.isEmpty()) {
                        // A filling that was given up while it waited for room has left this.
                        return session.ifUnchanged(key, 0, delete(keys.sources(version)));
                    }
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

    /** One turn of read, decide, write; false to be called again. */
    interface Turn {
        boolean decided(EtcdCalls session);
    }

    private void untilDecided(Turn turn) {
        etcd.with(
                session -> {
                    while (!turn.decided(session)) {
                        // Somebody else was faster; the session's deadline ends this.
                    }
                    return true;
                });
    }

    Optional<Current> current(Optional<KeyValue> pair) {
        return pair.map(
                read -> new Current(((Row.Mounted) row(read)).mount(), read.getModRevision()));
    }

    Pin pin(KeyValue pair) {
        return ((Row.Pinned) row(pair)).pin();
    }

    private Row row(KeyValue pair) {
        String key = pair.getKey().toString(UTF_8).substring(keys.root().length());
        return Rows.parse(key, pair.getValue().getBytes());
    }

    static void requireNotEvicting(Current current) {
        if (current.mount.state() == State.EVICTING) {
            throw new ForebayException(
                    ErrorCode.EVICTING,
                    "%s is being evicted; try again when it is gone"
                            .formatted(current.mount.version()));
        }
    }

    static Supplier<ForebayException> notMounted(DatasetVersion version) {
        return () ->
                new ForebayException(
                        ErrorCode.NOT_FOUND, version + " is not mounted in this region");
    }

    private ForebayException pinned(DatasetVersion version, List<KeyValue> pins) {
        String holders =
                pins.stream()
                        .map(this::pin)
                        .map(pin -> "%s (pin %s)".formatted(pin.holder(), pin.id()))
                        .limit(10)
                        .collect(Collectors.joining(", "));
        return new ForebayException(
                ErrorCode.PINNED, "%s is held by %d: %s".formatted(version, pins.size(), holders));
    }
}
