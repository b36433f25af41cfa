package dev.forebay.membership.etcd;

import dev.forebay.membership.Keys;
import dev.forebay.membership.Pin;
import dev.forebay.membership.etcd.EtcdCalls.KeyAndRange;
import dev.forebay.membership.etcd.Mounts.Current;
import dev.forebay.membership.rows.Row;
import dev.forebay.membership.rows.Rows;
import dev.forebay.model.DatasetVersion;
import dev.forebay.model.ErrorCode;
import dev.forebay.model.ForebayException;
import dev.forebay.model.Seconds;
import io.etcd.jetcd.KeyValue;
import java.time.Duration;
import java.util.Optional;
import java.util.function.BiFunction;

/**
 * Takes, renews and ends pins. Each pin is a key with a lease of its own, fenced against eviction.
 */
public final class PinLeases {

    private final EtcdAccess etcd;
    private final Keys keys;
    private final Mounts mounts;

    public PinLeases(EtcdAccess etcd, Keys keys, Mounts mounts) {
        this.etcd = etcd;
        this.keys = keys;
        this.mounts = mounts;
    }

    /**
     * Puts the pin and touches the mount in one transaction, on condition that the mount is
     * unchanged since it was read. Replaces a pin with the same id and holder, so the version is
     * never without the pin. Because every pin touches the mount, two holders that take the same id
     * are also ordered. The condition of the second one fails, and it finds the first pin when it
     * reads again.
     */
    void pin(Pin pin) {
        if (pin.lease().toSeconds() < 1) {
            throw new ForebayException(
                    ErrorCode.INVALID_ARGUMENT,
                    "lease of pin %s must be at least 1 s, not %s"
                            .formatted(pin.id(), Seconds.of(pin.lease())));
        }
        String pinKey = keys.pin(pin.version(), pin.id());
        String mountKey = keys.mount(pin.version());
        etcd.with(
                session -> {
                    Taking taking = new Taking(session, pin, pinKey, mountKey);
                    while (!taking.attempt()) {
                        // The mount changed between read and write, so read again.
                    }
                    return true;
                });
    }

    private final class Taking {
        private static final long NO_LEASE = 0;

        private final EtcdCalls session;
        private final Pin pin;
        private final String pinKey;
        private final String mountKey;
        private long lease = NO_LEASE;

        Taking(EtcdCalls session, Pin pin, String pinKey, String mountKey) {
            this.session = session;
            this.pin = pin;
            this.pinKey = pinKey;
            this.mountKey = mountKey;
        }

        boolean attempt() {
            KeyAndRange read = session.getWithRange(mountKey, pinKey);
            Current mount = requireTakeable(read);
            if (lease == NO_LEASE) {
                lease = session.grantLease(pin.lease());
            }
            // From here on the outcome may be unknown. The lease must then expire by itself: to
            // revoke it could end the pin that this call renews.
            boolean taken = put(mount);
            if (taken) {
                present(read).map(KeyValue::getLease).ifPresent(session::revokeLease);
            }
            return taken;
        }

        private boolean put(Current mount) {
            try {
                return session.ifUnchanged(
                        mountKey,
                        mount.revision(),
                        Change.put(pinKey, Rows.of(pin), lease),
                        mount.touch(mountKey));
            } catch (ForebayException e) {
                if (e.code() != ErrorCode.NOT_FOUND) {
                    throw e;
                }
                // The lease has expired unused, because this process was stopped for so long.
                lease = NO_LEASE;
                return false;
            }
        }

        private Current requireTakeable(KeyAndRange read) {
            try {
                Current mount =
                        mounts.current(read.key()).orElseThrow(Mounts.notMounted(pin.version()));
                Mounts.requireUsable(mount.mount());
                present(read).ifPresent(this::requireSameHolder);
                return mount;
            } catch (ForebayException refused) {
                if (lease != NO_LEASE) {
                    session.revokeLease(lease);
                }
                throw refused;
            }
        }

        private void requireSameHolder(KeyValue pair) {
            String holder = mounts.pin(pair).holder();
            if (!holder.equals(pin.holder())) {
                throw new ForebayException(
                        ErrorCode.ALREADY_EXISTS,
                        "pin %s on %s belongs to '%s': choose another id"
                                .formatted(pin.id(), pin.version(), holder));
            }
        }

        /** Returns the existing pin with this id. */
        private Optional<KeyValue> present(KeyAndRange read) {
            return read.range().stream()
                    .filter(pair -> pair.getKey().equals(EtcdSession.bytes(pinKey)))
                    .findFirst();
        }
    }

    Optional<Duration> renew(DatasetVersion version, String id) {
        String key = keys.pin(version, id);
        return etcd.with(
                session -> {
                    Optional<KeyValue> pair = session.get(key);
                    Optional<Duration> left =
                            pair.flatMap(there -> session.renewLease(there.getLease()));
                    left.ifPresent(_ -> noteRenewal(session, pair.orElseThrow()));
                    return left;
                });
    }

    /**
     * Records the first renewal in the row, which distinguishes a pin whose holder has stopped from
     * one for a fixed term. Does nothing if the pin has ended, was taken again meanwhile, or
     * belongs to a later release.
     */
    private void noteRenewal(EtcdCalls session, KeyValue pair) {
        if (mounts.understood(pair).orElse(null) instanceof Row.Pinned(Pin pin) && !pin.renewed()) {
            String key = keys.pin(pin.version(), pin.id());
            session.ifUnchanged(
                    key,
                    pair.getModRevision(),
                    Change.put(key, Rows.asRenewed(pair.getValue().getBytes()), pair.getLease()));
        }
    }

    Optional<Duration> remaining(DatasetVersion version, String id) {
        return withLease(version, id, EtcdCalls::leaseLeft);
    }

    void unpin(DatasetVersion version, String id) {
        withLease(
                version,
                id,
                (session, lease) -> {
                    session.revokeLease(lease);
                    return Optional.of(Duration.ZERO);
                });
    }

    /**
     * Ends a pin if its row is unchanged. A pin that was taken again after it was read has another
     * lease, which stays.
     */
    boolean unpin(Pin seen) {
        String key = keys.pin(seen.version(), seen.id());
        return etcd.with(
                session -> {
                    Optional<KeyValue> same =
                            session.get(key)
                                    .filter(
                                            pair ->
                                                    mounts.understood(pair)
                                                            .filter(new Row.Pinned(seen)::equals)
                                                            .isPresent());
                    same.map(KeyValue::getLease).ifPresent(session::revokeLease);
                    return same.isPresent();
                });
    }

    private Optional<Duration> withLease(
            DatasetVersion version,
            String id,
            BiFunction<EtcdCalls, Long, Optional<Duration>> action) {
        String key = keys.pin(version, id);
        return etcd.with(
                session ->
                        session.get(key).flatMap(pair -> action.apply(session, pair.getLease())));
    }
}
