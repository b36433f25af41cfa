package dev.forebay.membership.etcd;

import io.etcd.jetcd.ByteSequence;
import io.etcd.jetcd.op.Op;
import io.etcd.jetcd.options.DeleteOption;
import io.etcd.jetcd.options.PutOption;

/** A change that a transaction makes to one key. */
sealed interface Change {

    long NO_LEASE = 0;

    /** Returns the key of the row. */
    String key();

    /**
     * Writes a row.
     *
     * @param lease the lease that the row ends with, or {@link #NO_LEASE}
     */
    record Put(String key, ByteSequence value, long lease) implements Change {}

    /** Removes a row. */
    record Delete(String key) implements Change {}

    static Change put(String key, byte[] value) {
        return put(key, value, NO_LEASE);
    }

    static Change put(String key, byte[] value, long lease) {
        return new Put(key, ByteSequence.from(value), lease);
    }

    static Change delete(String key) {
        return new Delete(key);
    }

    /** Returns the operation for etcd's client. */
    default Op toOp() {
        return switch (this) {
            case Put(String key, ByteSequence value, long lease) ->
                    Op.put(
                            EtcdSession.bytes(key),
                            value,
                            lease == NO_LEASE
                                    ? PutOption.DEFAULT
                                    : PutOption.builder().withLeaseId(lease).build());
            case Delete(String key) -> Op.delete(EtcdSession.bytes(key), DeleteOption.DEFAULT);
        };
    }
}
