package dev.forebay.fuse.hold;

import dev.forebay.fuse.fs.FileSystemView;
import dev.forebay.fuse.fs.Transport;
import dev.forebay.fuse.fs.UpcallGuard;
import dev.forebay.fuse.hold.Connection.Received;
import dev.forebay.fuse.kernel.KernelTransport;
import dev.forebay.fuse.linux.UnixSocket;
import dev.forebay.model.ErrorCode;
import dev.forebay.model.ForebayException;
import dev.forebay.thread.PeriodicTask;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Objects;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Serves a mount that a {@link Holder} keeps, when the holder orders it. Until then the process
 * stands by. It has copies of the mount's descriptors from the beginning. If the holder dies, it
 * continues without one, and gives the descriptors to the next holder.
 */
public final class HeldTransport implements Transport {

    private static final Logger LOG = LoggerFactory.getLogger(HeldTransport.class);
    private static final Duration GO_TIMEOUT = Duration.ofSeconds(5);

    /**
     * Every request is answered earlier, with an error if necessary. If this process closed the
     * resources of answers before, readers would get errors although a successor can serve them.
     */
    private static final Duration DRAIN_TIMEOUT = KernelTransport.TIMEOUT.plusSeconds(5);

    /** The timeout when answers no longer matter: the mount is gone, or another server serves. */
    private static final Duration LAST_TIMEOUT = Duration.ofSeconds(5);

    /** The exit code of a server that was replaced. */
    private static final int REPLACED = 1;

    /** The interval of attempts to find a holder. */
    private static final Duration RETRY = Duration.ofMillis(100);

    private final FileSystemView view;
    private final UpcallGuard guard;
    private final Path socket;
    private final Runnable whenServing;
    private final CountDownLatch joined = new CountDownLatch(1);
    private final CompletableFuture<Integer> end = new CompletableFuture<>();
    private final PeriodicTask touch =
            new PeriodicTask(
                    Holder.platformThread("holder"),
                    RETRY,
                    "Cannot connect to the holder",
                    this::joinHolder);

    /** Used by the thread of the task only. */
    private boolean waiting;

    // Guarded by this.
    private @Nullable Connection holder;
    private CountDownLatch mayGo = new CountDownLatch(1);
    private @Nullable HeldMount mount;
    private @Nullable KernelTransport serving;
    private boolean closing;

    private HeldTransport(
            FileSystemView view, UpcallGuard guard, Path socket, Runnable whenServing) {
        this.view = view;
        this.guard = guard;
        this.socket = socket;
        this.whenServing = whenServing;
    }

    /**
     * Connects to a holder, waiting until one exists, and returns when it has the mount's
     * descriptors. The view must be ready to serve.
     *
     * @param directory the directory of the holder
     * @param whenServing runs once, before this process answers its first request; must not block
     */
    public static HeldTransport join(
            FileSystemView view, UpcallGuard guard, Path directory, Runnable whenServing) {
        HeldTransport transport =
                new HeldTransport(view, guard, Holder.socket(directory), whenServing);
        transport.touch.start();
        try {
            transport.joined.await();
            return transport;
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new ForebayException(ErrorCode.UNAVAILABLE, "interrupted", e);
        }
    }

    private void joinHolder() {
        if (end.isDone()) {
            touch.close();
            return;
        }
        boolean ended = false;
        try (Connection connection = new Connection(UnixSocket.connect(socket))) {
            waiting = false;
            if (greet(connection)) {
                listenTo(connection);
            }
            ended = true;
        } catch (IOException e) {
            ended = true;
            if (!waiting) {
                LOG.info("Waiting for a holder ('forebay-fuse hold'): {}", e.getMessage());
            }
            waiting = true;
        } finally {
            if (!ended) {
                lost();
            }
        }
    }

    private synchronized boolean greet(Connection connection) {
        if (closing) {
            return false;
        }
        holder = connection;
        mayGo = new CountDownLatch(1);
        // Proves from the start that this server answers, even if it is stopped directly after.
        connection.say(HolderMessage.PONG);
        if (mount == null) {
            connection.say(HolderMessage.JOIN);
        } else {
            connection.say(HolderMessage.JOIN, mount);
        }
        if (serving != null) {
            connection.say(HolderMessage.SERVING);
        }
        return true;
    }

    private void listenTo(Connection connection) {
        boolean toldToServe = false;
        for (Optional<Received> next = connection.receive(HolderMessage.MOUNT);
                next.isPresent();
                next = connection.receive(HolderMessage.MOUNT)) {
            Received received = next.get();
            switch (received.message()) {
                case MOUNT -> received.mount().ifPresent(this::take);
                case SERVE -> toldToServe = true;
                case GO -> go();
                case PING -> connection.say(HolderMessage.PONG);
                case REPLACED -> replaced();
                case END -> end.complete(0);
                case JOIN, SERVING, LEAVING, DRAINED, PONG ->
                        LOG.warn("The holder sent an unexpected {}", received.message());
            }
            // A server that was stopped receives all earlier messages at once, and may have been
            // replaced: serve only when no further message is waiting.
            if (toldToServe && !end.isDone() && connection.isQuiet()) {
                toldToServe = false;
                serve(connection);
            }
        }
        lost();
    }

    /** Ends a process that was stopped and continued later; a supervisor may restart it. */
    private void replaced() {
        LOG.error(
                "This process did not answer the holder in time, so another one serves now; "
                        + "exiting");
        end.complete(REPLACED);
    }

    private synchronized void take(HeldMount given) {
        if (mount == null) {
            mount = given;
        } else {
            given.device().close();
        }
        joined.countDown();
    }

    private synchronized void serve(Connection connection) {
        if (mount == null || closing) {
            return;
        }
        if (serving == null) {
            whenServing.run();
            KernelTransport transport = KernelTransport.serve(view, guard, mount.device());
            serving = transport;
            Holder.thread("end", () -> awaitUnmount(transport));
            LOG.info("Serving");
        }
        connection.say(HolderMessage.SERVING);
    }

    private void awaitUnmount(KernelTransport transport) {
        try {
            int code = transport.awaitEnd();
            synchronized (this) {
                if (code == 0 && !closing) {
                    tell(HolderMessage.END);
                }
            }
            end.complete(code);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    private synchronized void go() {
        mayGo.countDown();
    }

    private synchronized void lost() {
        holder = null;
        go();
        if (!end.isDone()) {
            LOG.warn("The holder disconnected; serving until a new one connects");
        }
    }

    @Override
    public synchronized boolean serving() {
        return serving != null;
    }

    /** Returns the mount point in the holder's mount namespace. */
    public synchronized Path mountpoint() {
        return Objects.requireNonNull(mount).mountpoint();
    }

    @Override
    public synchronized int openFiles() {
        return serving == null ? 0 : serving.openFiles();
    }

    @Override
    public int awaitEnd() {
        return end.join();
    }

    /**
     * Serves until another server does, answers the requests that it has taken, and leaves the
     * mount in place.
     */
    @Override
    public void close() {
        boolean asked;
        KernelTransport transport;
        CountDownLatch permission;
        synchronized (this) {
            transport = serving;
            closing = transport == null;
            permission = mayGo;
            asked = !end.isDone() && tell(HolderMessage.LEAVING);
        }
        try {
            if (asked && !permission.await(GO_TIMEOUT.toSeconds(), TimeUnit.SECONDS)) {
                LOG.warn(
                        "No other process took over the mount within {} s: start one, reads wait "
                                + "for it",
                        GO_TIMEOUT.toSeconds());
            }
            synchronized (this) {
                closing = true;
            }
            if (transport == null || transport.drain(end.isDone() ? LAST_TIMEOUT : DRAIN_TIMEOUT)) {
                drained();
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
        end.complete(0);
        hangUp();
    }

    private synchronized void drained() {
        tell(HolderMessage.DRAINED);
        if (mount != null) {
            mount.device().close();
        }
    }

    private synchronized void hangUp() {
        if (holder != null) {
            holder.hangUp();
        }
    }

    /** Sends a message to the holder; returns false if there is none now. */
    private synchronized boolean tell(HolderMessage message) {
        if (holder != null) {
            holder.say(message);
        }
        return holder != null;
    }
}
