package dev.forebay.membership;

import java.util.function.Function;

/** Who makes calls to etcd for others. */
interface EtcdAccess {

    /**
     * Makes calls, all of them again while etcd is unavailable, for a bounded time.
     *
     * @param calls may run several times, also after an earlier run took effect unnoticed
     */
    <T> T with(Function<EtcdCalls, T> calls);
}
