package dev.forebay.fuse.hold;

import java.util.ArrayDeque;
import java.util.HashSet;
import java.util.Queue;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * Decides which server serves a mount, which ones stand by, and which ones may leave. Thread-safe.
 *
 * <p>A server that wants to leave continues until a successor serves, so readers do not wait. When
 * a server dies, the kernel resends the requests that it had taken, and then the next server is
 * appointed. Two servers at the same time do no harm.
 *
 * <p>A server that does not follow its orders is treated as gone. Nothing that it says later makes
 * it serve again.
 *
 * <p>No server is appointed before {@link #open}. Until then a server that serves already may
 * report it, and becomes the serving one.
 *
 * @param <S> a server
 */
final class Succession<S> {

    /** Carries out the decisions of this class. */
    interface Orders<S> {
        void serve(S server);

        /** Returns whether a server answers pings; such servers are appointed first. */
        boolean isPrompt(S server);

        void go(S server);

        /** Orders a server to end, because another one serves in its place. */
        void replaced(S server);

        /** Makes the kernel resend requests that were read but not answered. */
        void resend();
    }

    private final Orders<S> orders;

    // Guarded by this.
    private final Queue<S> standingBy = new ArrayDeque<>();

    /** Servers that wait until a successor serves. */
    private final Set<S> leaving = new HashSet<>();

    /** Servers that served, must leave, and may still have unanswered requests. */
    private final Set<S> finishing = new HashSet<>();

    private @Nullable S serving;
    private boolean open;

    Succession(Orders<S> orders) {
        this.orders = orders;
    }

    /** Starts appointing: from now on one server serves whenever one is present. */
    synchronized void open() {
        open = true;
        if (serving == null) {
            succeed();
        }
    }

    /** Stops appointing. Servers whose connections end from now on may serve without a holder. */
    synchronized void close() {
        open = false;
    }

    /** Adds a server that is ready to serve. */
    synchronized void joined(S server) {
        standingBy.add(server);
        appoint();
    }

    /** Records that a server takes requests. */
    synchronized void serves(S server) {
        if (!open && serving == null && standingBy.remove(server)) {
            serving = server;
        }
        if (server.equals(serving)) {
            letGo();
        } else if (open && standingBy.remove(server)) {
            // It served under an earlier holder, and was stopped when this holder asked who serves.
            finishing.add(server);
            orders.replaced(server);
        }
    }

    /** Records that a server wants to leave. */
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
     * Removes a server that is gone or unresponsive.
     *
     * @param drained whether it has answered all requests that it took
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
            // A server must be appointed even if the resend fails.
            if (server.equals(serving)) {
                succeed();
            }
        }
    }

    /**
     * Returns whether another server can take over from this one: serve, or answer the requests
     * that it took before it had to leave.
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
