package dev.forebay.fuse.hold;

import java.time.Duration;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.locks.LockSupport;
import java.util.function.BooleanSupplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Asks servers whether they live, and has one replaced that does not answer, or does not serve
 * though it was told to: a process that is stopped keeps its connection, and what it has taken from
 * the kernel. Safe for use by many threads.
 *
 * @param <S> a server
 */
final class Pulses<S> {

    /** What is decided here is done there. */
    interface Orders<S> {
        void ask(S server);

        /** Replaces a server that does not do what it is asked for, if another one can. */
        void replace(S server);
    }

    private static final Logger LOG = LoggerFactory.getLogger(Pulses.class);

    private final Orders<S> orders;
    private final long patienceNanos;
    private final Map<S, Pulse> pulses = new ConcurrentHashMap<>();

    /**
     * @param patience for how long a server may leave a question unanswered, or not serve though it
     *     was told to
     */
    Pulses(Orders<S> orders, Duration patience) {
        this.orders = orders;
        this.patienceNanos = patience.toNanos();
    }

    /** From now on until it is removed a server is asked. */
    void add(S server) {
        pulses.put(server, new Pulse());
    }

    void remove(S server) {
        pulses.remove(server);
    }

    /** A server that was added has answered. */
    void answered(S server) {
        Pulse pulse = pulses.get(server);
        if (pulse != null) {
            pulse.answered();
        }
    }

    /** A server that was added is told to serve, and has to say from now on that it does. */
    void appoint(S server) {
        Pulse pulse = pulses.get(server);
        if (pulse != null) {
            pulse.appoint(System.nanoTime());
        }
    }

    /** A server that was added says that it serves. */
    void serves(S server) {
        Pulse pulse = pulses.get(server);
        if (pulse != null) {
            pulse.serves();
        }
    }

    /** Whether a server that was added has answered, and owes no answer for long. */
    boolean isPrompt(S server) {
        Pulse pulse = pulses.get(server);
        return pulse != null && pulse.isPrompt();
    }

    /**
     * Asks again and again, whatever fails.
     *
     * @param interval between two questions
     * @param ended when to end
     */
    void watch(Duration interval, BooleanSupplier ended) {
        long last = System.nanoTime();
        while (!ended.getAsBoolean()) {
            LockSupport.parkNanos(interval.toNanos());
            long now = System.nanoTime();
            boolean stoppedOurselves = now - last > patienceNanos / 2 + interval.toNanos();
            last = now;
            try {
                pulses.keySet().forEach(server -> look(server, now, stoppedOurselves));
            } catch (RuntimeException | Error e) {
                complain(e);
            }
        }
    }

    private static void complain(Throwable e) {
        try {
            LOG.error("Servers are asked again in a moment whether they live", e);
        } catch (RuntimeException | Error worse) {
            // Whatever leaves the loop ends it for good.
        }
    }

    /** Whoever is removed meanwhile waits: when it is closed, its number can be another's. */
    private void look(S server, long now, boolean stoppedOurselves) {
        Pulse _ =
                pulses.computeIfPresent(
                        server,
                        (_, pulse) -> {
                            look(server, pulse, now, stoppedOurselves);
                            return pulse;
                        });
    }

    private void look(S server, Pulse pulse, long now, boolean stoppedOurselves) {
        if (stoppedOurselves) {
            pulse.restart(now);
        }
        if (pulse.isSilent(now, patienceNanos)) {
            orders.replace(server);
        } else if (pulse.ask(now)) {
            ask(server, pulse);
        }
    }

    private void ask(S server, Pulse pulse) {
        try {
            orders.ask(server);
        } catch (RuntimeException | Error e) {
            // Else it would be replaced for not answering.
            pulse.notAsked();
            throw e;
        }
    }
}
