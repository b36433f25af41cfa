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
 * <p>Nobody is told to serve before it is opened; until then one who serves already may say so, and
 * is the one who serves.
 *
 * @param <S> a server
 */
final class Succession<S> {

    /** What is decided here is done there. */
    interface Orders<S> {
        void serve(S server);

        void go(S server);

        /** Ask the kernel for requests that were taken and not answered. */
        void resend();
    }

    private final Orders<S> orders;

    // Guarded by this.
    private final Queue<S> standingBy = new ArrayDeque<>();
    private final Set<S> leaving = new HashSet<>();
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

    /** A server is there, and ready. */
    synchronized void joined(S server) {
        standingBy.add(server);
        appoint();
    }

    /** A server that joined takes requests. */
    synchronized void serves(S server) {
        if (!open && serving == null) {
            standingBy.remove(server);
            serving = server;
        }
        if (server.equals(serving)) {
            letGo();
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
        succeed();
    }

    /**
     * A server is gone.
     *
     * @param drained whether it has answered all that it took
     */
    synchronized void gone(S server, boolean drained) {
        standingBy.remove(server);
        leaving.remove(server);
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

    /** Whether a server serves that another one could replace. */
    synchronized boolean isReplaceable(S server) {
        return server.equals(serving) && !standingBy.isEmpty();
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
            serving = standingBy.poll();
            if (serving != null) {
                orders.serve(serving);
            }
        }
    }

    private void letGo() {
        leaving.forEach(orders::go);
        leaving.clear();
    }
}
