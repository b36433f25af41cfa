package dev.forebay.membership;

import dev.forebay.membership.EtcdCalls.KeyAndRange;
import dev.forebay.membership.Mounts.Current;
import dev.forebay.model.DatasetVersion;
import dev.forebay.model.ErrorCode;
import dev.forebay.model.ForebayException;
import dev.forebay.model.Seconds;
import io.etcd.jetcd.KeyValue;
import java.time.Duration;
import java.util.Optional;
import java.util.function.BiFunction;

/** Pins: keys that live as long as their own lease, and are fenced against eviction. */
final class Pins {

    private final EtcdAccess etcd;
    private final Keys keys;
    private final Mounts mounts;

    Pins(EtcdAccess etcd, Keys keys, Mounts mounts) {
        this.etcd = etcd;
        this.keys = keys;
        this.mounts = mounts;
    }

    /**
     * Puts the pin and touches the mount, in one transaction on condition that the mount is what
     * was read. A pin with this id and holder is replaced by it, so that there is no moment
     * without. That every pin touches the mount also orders two holders who take the same id: the
     * second one's condition fails, it reads again, and finds the first.
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
                        // The mount changed between reading and writing; look again.
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
            // From here on the outcome may be unknown; the lease must then run out by itself, for
            // to revoke it could end the pin that it was to renew.
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
                // This process was stopped for so long that the lease has ended unused.
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
                        "pin %s on %s is held by '%s': take one with another id"
                                .formatted(pin.id(), pin.version(), holder));
            }
        }

        /** The pin with this id that is there already. */
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
     * Writes, at the first renewal only, that the holder renews the pin: a pin that is not renewed
     * any more can then be told from one for a fixed term. If the pin was taken again or has ended
     * meanwhile, or a later release took it, it says nothing.
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

    /** A pin that is taken again after it was read hangs on another lease, which stays. */
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
