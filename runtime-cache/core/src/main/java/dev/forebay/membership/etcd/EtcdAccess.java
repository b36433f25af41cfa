package dev.forebay.membership.etcd;

import java.util.function.Function;

/** Runs groups of calls to etcd, with retries. */
interface EtcdAccess {

    /**
     * Runs calls, and repeats all of them while etcd is unavailable, for a bounded time.
     *
     * @param calls may run several times, even after an earlier run took effect without an answer
     */
    <T> T with(Function<EtcdCalls, T> calls);
}
