package dev.forebay.fuse.hold;

import java.time.Duration;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;

/**
 * Pings servers, and requests the replacement of a server that does not answer, or does not serve
 * when ordered. A stopped process keeps its connection and the requests that it took from the
 * kernel, so only pings reveal it. Thread-safe.
 *
 * @param <S> a server
 */
final class ServerHealthChecks<S> {

    /** Carries out the decisions of this class. */
    interface Orders<S> {
        void ask(S server);

        /** Replaces an unresponsive server if another one can take its place. */
        void replace(S server);
    }

    private final Orders<S> orders;
    private final long timeoutNanos;
    private final Map<S, ServerHealth> pulses = new ConcurrentHashMap<>();

    // Used by the pinging thread only.
    private long last = System.nanoTime();

    /**
     * @param timeout the time that a server may leave a ping unanswered, or an order to serve
     *     unconfirmed
     */
    ServerHealthChecks(Orders<S> orders, Duration timeout) {
        this.orders = orders;
        this.timeoutNanos = timeout.toNanos();
    }

    /** Adds a server, which is pinged until it is removed. */
    void add(S server) {
        pulses.put(server, new ServerHealth());
    }

    void remove(S server) {
        pulses.remove(server);
    }

    /** Records an answer of a server. */
    void answered(S server) {
        ServerHealth pulse = pulses.get(server);
        if (pulse != null) {
            pulse.answered();
        }
    }

    /** Records that a server was ordered to serve; it must confirm that in time. */
    void appoint(S server) {
        ServerHealth pulse = pulses.get(server);
        if (pulse != null) {
            pulse.appoint(System.nanoTime());
        }
    }

    /** Records that a server serves. */
    void serves(S server) {
        ServerHealth pulse = pulses.get(server);
        if (pulse != null) {
            pulse.serves();
        }
    }

    /** Returns whether a server has answered, and has no overdue answer. */
    boolean isPrompt(S server) {
        ServerHealth pulse = pulses.get(server);
        return pulse != null && pulse.isPrompt();
    }

    /**
     * Pings all servers once. One thread must call this repeatedly.
     *
     * @param interval the time between two calls
     */
    void pingAll(Duration interval) {
        long now = System.nanoTime();
        boolean stoppedOurselves = now - last > timeoutNanos / 2 + interval.toNanos();
        last = now;
        pulses.keySet().forEach(server -> check(server, now, stoppedOurselves));
    }

    /**
     * Blocks the removal of the server meanwhile: the number of a closed descriptor can be reused.
     */
    private void check(S server, long now, boolean stoppedOurselves) {
        ServerHealth _ =
                pulses.computeIfPresent(
                        server,
                        (_, pulse) -> {
                            check(server, pulse, now, stoppedOurselves);
                            return pulse;
                        });
    }

    private void check(S server, ServerHealth pulse, long now, boolean stoppedOurselves) {
        if (stoppedOurselves) {
            pulse.restart(now);
        }
        if (pulse.isSilent(now, timeoutNanos)) {
            orders.replace(server);
        } else if (pulse.ask(now)) {
            ask(server, pulse);
        }
    }

    private void ask(S server, ServerHealth pulse) {
        boolean asked = false;
        try {
            orders.ask(server);
            asked = true;
        } finally {
            if (!asked) {
                // Otherwise the server would be replaced for a ping that was never sent.
                pulse.notAsked();
            }
        }
    }
}
