package dev.forebay.fuse.hold;

import java.util.ArrayDeque;
import java.util.HashSet;
import java.util.Queue;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * Who serves a mount, who stands by, and who may leave. Safe for use by many threads.
 *
 * <p>One who wants to leave goes on until a successor serves, so that nobody waits. When one dies,
 * the kernel is asked at once for the requests that it had taken, and then the next is told to
 * serve. Two serving at the same time do no harm.
 *
 * <p>Whoever does not do what it is told is passed over: it is as if it had gone, and nothing that
 * it says later makes it serve.
 *
 * <p>Nobody is told to serve before it is opened; until then one who serves already may say so, and
 * is the one who serves.
 *
 * @param <S> a server
 */
final class Succession<S> {

    /** What is decided here is done there. */
    interface Orders<S> {
        void serve(S server);

        /** Whether a server answers; such a one is told to serve first. */
        boolean isPrompt(S server);

        void go(S server);

        /** Another one serves in its place: it has to end. */
        void replaced(S server);

        /** Ask the kernel for requests that were taken and not answered. */
        void resend();
    }

    private final Orders<S> orders;

    // Guarded by this.
    private final Queue<S> standingBy = new ArrayDeque<>();

    /** Those who wait until a successor serves. */
    private final Set<S> leaving = new HashSet<>();

    /** Those who served, have to leave and may not have answered yet all that they took. */
    private final Set<S> finishing = new HashSet<>();

    private @Nullable S serving;
    private boolean open;

    Succession(Orders<S> orders) {
        this.orders = orders;
    }

    /** From now on there is always one who serves, if any is there. */
    synchronized void open() {
        open = true;
        if (serving == null) {
            succeed();
        }
    }

    /**
     * Appoints no server any more. A server that is gone from now on may serve without a holder.
     */
    synchronized void close() {
        open = false;
    }

    /** A server is there, and ready. */
    synchronized void joined(S server) {
        standingBy.add(server);
        appoint();
    }

    /** A server that joined takes requests. */
    synchronized void serves(S server) {
        if (!open && serving == null && standingBy.remove(server)) {
            serving = server;
        }
        if (server.equals(serving)) {
            letGo();
        } else if (open && standingBy.remove(server)) {
            // It served under an earlier holder, and was stopped when this one looked who does.
            finishing.add(server);
            orders.replaced(server);
        }
    }

    /** A server wants to leave. */
    synchronized void wantsToLeave(S server) {
        if (!server.equals(serving)) {
            standingBy.remove(server);
            orders.go(server);
            return;
        }
        leaving.add(server);
        finishing.add(server);
        succeed();
    }

    /**
     * A server is gone, or passed over.
     *
     * @param drained whether it has answered all that it took
     */
    synchronized void gone(S server, boolean drained) {
        standingBy.remove(server);
        leaving.remove(server);
        finishing.remove(server);
        try {
            if (!drained) {
                orders.resend();
            }
        } finally {
            // Whatever fails, somebody has to serve.
            if (server.equals(serving)) {
                succeed();
            }
        }
    }

    /**
     * Whether another one can do what a server should: serve, or answer what it took before it had
     * to leave.
     */
    synchronized boolean isReplaceable(S server) {
        return server.equals(serving)
                ? !standingBy.isEmpty()
                : serving != null && finishing.contains(server);
    }

    private void succeed() {
        serving = null;
        appoint();
        if (open && serving == null) {
            letGo();
        }
    }

    private void appoint() {
        if (open && serving == null) {
            serving = next();
            if (serving != null) {
                standingBy.remove(serving);
                orders.serve(serving);
            }
        }
    }

    private @Nullable S next() {
        for (S server : standingBy) {
            if (orders.isPrompt(server)) {
                return server;
            }
        }
        return standingBy.peek();
    }

    private void letGo() {
        leaving.forEach(orders::go);
        leaving.clear();
    }
}
