package dev.forebay.membership;

import io.etcd.jetcd.KeyValue;
import java.time.Duration;
import java.util.List;
import java.util.Optional;

/**
 * The calls that the protocol of mounts, pins and workers is made of, each of them atomic. Nothing
 * else that it does can be seen by anybody: so a search of all orders of these calls is one of all
 * that can happen.
 */
interface EtcdCalls {

    Optional<KeyValue> get(String key);

    /** A key and everything below a prefix, both at the same moment. */
    record KeyAndRange(Optional<KeyValue> key, List<KeyValue> range) {}

    KeyAndRange getWithRange(String key, String prefix);

    /**
     * Applies {@code changes} at once if {@code key} still has this modification revision; 0 means
     * that it does not exist.
     *
     * @return whether it had
     */
    boolean ifUnchanged(String key, long revision, Change... changes);

    /** Applies changes at once, and says at which revision. */
    long apply(Change... changes);

    long grantLease(Duration life);

    /** Ends a lease and with it its keys; does nothing if it has ended. */
    void revokeLease(long lease);

    /** Renews a lease; empty if it has ended. */
    Optional<Duration> renewLease(long lease);

    /** The time a lease has left; empty if it has ended. */
    Optional<Duration> leaseLeft(long lease);
}
