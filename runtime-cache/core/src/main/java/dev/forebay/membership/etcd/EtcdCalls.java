package dev.forebay.membership.etcd;

import io.etcd.jetcd.KeyValue;
import java.time.Duration;
import java.util.List;
import java.util.Optional;

/**
 * The calls of the protocol for mounts, pins and workers. Each one is atomic. The protocol has no
 * other effects that other processes can see. A test that tries all orders of these calls thus
 * covers everything that can happen.
 */
interface EtcdCalls {

    Optional<KeyValue> get(String key);

    /** A key and everything below a prefix, read at the same revision. */
    record KeyAndRange(Optional<KeyValue> key, List<KeyValue> range) {}

    KeyAndRange getWithRange(String key, String prefix);

    /**
     * Applies {@code changes} in one transaction if {@code key} still has this modification
     * revision; 0 means that the key does not exist.
     *
     * @return whether the key had this revision
     */
    boolean ifUnchanged(String key, long revision, Change... changes);

    /** Applies changes in one transaction, and returns its revision. */
    long apply(Change... changes);

    long grantLease(Duration life);

    /** Ends a lease and with it its keys. Does nothing if it has ended. */
    void revokeLease(long lease);

    /** Renews a lease and returns the time it has left, or empty if it has ended. */
    Optional<Duration> renewLease(long lease);

    /** Returns the time a lease has left, or empty if it has ended. */
    Optional<Duration> leaseLeft(long lease);
}
