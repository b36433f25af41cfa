package dev.forebay.fuse.hold;

import dev.forebay.fuse.hold.Connection.Received;
import dev.forebay.fuse.kernel.device.FuseDevice;
import dev.forebay.fuse.linux.Identity;
import dev.forebay.fuse.linux.UnixSocket;
import dev.forebay.linux.SystemCallException;
import dev.forebay.model.ErrorCode;
import dev.forebay.model.ForebayException;
import dev.forebay.thread.CatchAll;
import dev.forebay.thread.PeriodicTask;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Keeps the descriptors of a mount, gives copies of them to servers that connect, and decides which
 * server serves. Servers must run as the same user, or as root.
 *
 * <p>The mount lives as long as the holder or any server. If a holder dies, the next one gets the
 * descriptors back from any server.
 */
public final class Holder implements AutoCloseable {

    private static final Logger LOG = LoggerFactory.getLogger(Holder.class);
    private static final String SOCKET = "holder.sock";
    private static final int ROOT = 0;
    private static final Duration PULSE = Duration.ofSeconds(1);

    /**
     * The time that a server has to report that it serves a mount which was handed in. After that,
     * the holder appoints a server.
     */
    private static final Duration ROLL_CALL = Duration.ofSeconds(2);

    /** The delay after a connection that could not be accepted. */
    private static final Duration ACCEPT_RETRY = Duration.ofMillis(200);

    /** The interval of the checks whether all servers have left. */
    private static final long POLL_NANOS = Duration.ofMillis(50).toNanos();

    private final UnixSocket socket;
    private final PeriodicTask acceptor;
    private final Optional<Path> awaited;
    private final CompletableFuture<HeldMount> mount = new CompletableFuture<>();
    private final CompletableFuture<Void> end = new CompletableFuture<>();
    private final Set<Connection> connections = ConcurrentHashMap.newKeySet();

    /** The servers that serve the mount or stand by. */
    private final Set<Connection> servers = ConcurrentHashMap.newKeySet();

    private final ServerHealthChecks<Connection> pulses;
    private final Succession<Connection> succession = new Succession<>(new Orders());

    private Holder(UnixSocket socket, Optional<Path> awaited, Duration timeout) {
        this.socket = socket;
        this.awaited = awaited;
        this.pulses = new ServerHealthChecks<>(new LifeSigns(), timeout);
        this.acceptor =
                new PeriodicTask(
                        platformThread("holder"),
                        Duration.ZERO,
                        ACCEPT_RETRY,
                        "Cannot accept connections of servers",
                        this::accept,
                        socket::close);
    }

    /**
     * Lets servers connect, which then wait for the mount.
     *
     * @param directory private to this user; for one holder at a time
     * @param awaited the absolute mount point of the mount that servers may hand in. If it is
     *     empty, a new mount is made, and servers of another mount must end.
     * @param timeout the time that a server may leave pings unanswered, or an order to serve
     *     unconfirmed, before another server replaces it; zero: no limit
     * @throws ForebayException {@code INVALID_ARGUMENT}
     */
    public static Holder listen(Path directory, Optional<Path> awaited, Duration timeout) {
        try {
            Holder holder = new Holder(UnixSocket.listen(socket(directory)), awaited, timeout);
            holder.acceptor.start();
            if (timeout.isPositive()) {
                PeriodicTask pings =
                        new PeriodicTask(
                                        platformThread("pulse"),
                                        PULSE,
                                        "Cannot check the health of servers",
                                        () -> holder.pulses.pingAll(PULSE))
                                .startAfterPause();
                var _ = holder.end.thenRun(pings::close);
            }
            return holder;
        } catch (IOException e) {
            throw new ForebayException(ErrorCode.INVALID_ARGUMENT, "--holder: " + e.getMessage());
        }
    }

    static Path socket(Path directory) {
        return directory.resolve(SOCKET);
    }

    static void thread(String name, Runnable task) {
        platformThread(name).start(task);
    }

    /** Not virtual: a thread that waits in the kernel would block a carrier. */
    static Thread.Builder platformThread(String name) {
        return Thread.ofPlatform().daemon().name(name);
    }

    /**
     * Holds a mount that was just made.
     *
     * @return false if a server has handed one in meanwhile; then no server will serve this one
     */
    public boolean hold(FuseDevice device, Path mountpoint) {
        boolean held = mount.complete(HeldMount.made(device, mountpoint));
        if (held) {
            succession.open();
        }
        return held;
    }

    /** Returns a future that completes when a mount is held, new or handed in by a server. */
    public CompletableFuture<?> held() {
        return mount;
    }

    /** Returns a future that completes when the mount was unmounted. */
    public CompletableFuture<Void> end() {
        return end;
    }

    /** Accepts a server. A lack of descriptors or threads may be temporary. */
    private void accept() throws SystemCallException {
        socket.accept().ifPresentOrElse(this::attendOnThread, acceptor::close);
    }

    private void attendOnThread(UnixSocket accepted) {
        Object _ =
                CatchAll.closeOnFailure(
                        accepted, () -> platformThread("server").start(() -> attend(accepted)));
    }

    private void attend(UnixSocket accepted) {
        try (accepted;
                Connection server = new Connection(accepted)) {
            if (server.peer().user() != ROOT
                    && server.peer().user() != Identity.ofThisProcess().user()) {
                LOG.warn("Refusing {}: start it as root or as the holder's user", server.peer());
                return;
            }
            listenTo(server);
        } catch (SystemCallException e) {
            LOG.warn("A connecting server disconnected: {}", e.getMessage());
        }
    }

    private void listenTo(Connection server) {
        boolean joined = false;
        boolean drained = false;
        connections.add(server);
        pulses.add(server);
        try {
            for (Optional<Received> next = server.receive(HolderMessage.JOIN);
                    next.isPresent();
                    next = server.receive(HolderMessage.JOIN)) {
                switch (next.get().message()) {
                    case JOIN -> joined = join(server, next.get().mount());
                    case SERVING -> {
                        LOG.info("{} serves", server.name());
                        pulses.serves(server);
                        if (joined) {
                            succession.serves(server);
                        }
                    }
                    case LEAVING -> succession.wantsToLeave(server);
                    case DRAINED -> drained = true;
                    case PING -> server.say(HolderMessage.PONG);
                    case PONG -> pulses.answered(server);
                    case END -> {
                        // Ignores a server of another mount.
                        if (joined) {
                            end.complete(null);
                        }
                    }
                    case MOUNT, SERVE, GO, REPLACED ->
                            LOG.warn(
                                    "{} sent a message that only the holder may send",
                                    server.name());
                }
            }
        } finally {
            connections.remove(server);
            servers.remove(server);
            pulses.remove(server);
            if (joined) {
                succession.gone(server, drained);
                LOG.info("{} disconnected{}", server.name(), drained ? "" : " without notice");
            }
        }
    }

    private boolean join(Connection server, Optional<HeldMount> handedIn) {
        if (handedIn.isPresent()) {
            if (awaited.equals(handedIn.map(HeldMount::mountpoint))
                    && mount.complete(handedIn.get())) {
                // A server may have died while there was no holder.
                resend();
                CompletableFuture.delayedExecutor(ROLL_CALL.toMillis(), TimeUnit.MILLISECONDS)
                        .execute(succession::open);
            } else {
                handedIn.get().device().close();
            }
        }
        HeldMount held = mount.join();
        if (handedIn.isPresent() && !handedIn.get().id().equals(held.id())) {
            LOG.warn("{} has another mount; ending it", server.name());
            server.say(HolderMessage.END);
            return false;
        }
        server.say(HolderMessage.MOUNT, held);
        LOG.info("{} can serve", server.name());
        servers.add(server);
        succession.joined(server);
        return true;
    }

    private final class Orders implements Succession.Orders<Connection> {
        @Override
        public void serve(Connection server) {
            pulses.appoint(server);
            tell(server, HolderMessage.SERVE);
        }

        @Override
        public boolean isPrompt(Connection server) {
            return pulses.isPrompt(server);
        }

        @Override
        public void go(Connection server) {
            tell(server, HolderMessage.GO);
        }

        @Override
        public void replaced(Connection server) {
            LOG.warn("Another process serves already; ending {}", server.name());
            tell(server, HolderMessage.REPLACED);
        }

        private static void tell(Connection server, HolderMessage message) {
            // The server would wait forever, and readers too. After the hang-up another server gets
            // the order.
            boolean _ = CatchAll.run(() -> server.say(message), _ -> server.hangUp());
        }

        @Override
        public void resend() {
            Holder.this.resend();
        }
    }

    private final class LifeSigns implements ServerHealthChecks.Orders<Connection> {
        @Override
        public void ask(Connection server) {
            server.say(HolderMessage.PING);
        }

        @Override
        public void replace(Connection server) {
            if (succession.isReplaceable(server)) {
                LOG.warn("{} does not answer; replacing it", server.name());
                server.say(HolderMessage.REPLACED);
                // Treats it as dead: the kernel resends the requests that it took. If the process
                // continues later, it may take more requests before it reads that it must end. The
                // holder therefore resends once more when it has ended.
                succession.gone(server, false);
            }
        }
    }

    private void resend() {
        try {
            mount.join().device().resend();
        } catch (SystemCallException e) {
            LOG.warn(
                    "The kernel did not resend requests, so readers may hang: restart them ({})",
                    e.getMessage());
        }
    }

    /**
     * Waits until no server is left.
     *
     * @return whether none is left
     */
    public boolean awaitNobody(Duration most) {
        long deadline = System.nanoTime() + most.toNanos();
        while (!servers.isEmpty() && System.nanoTime() - deadline < 0) {
            LockSupport.parkNanos(POLL_NANOS);
        }
        return servers.isEmpty();
    }

    /**
     * Ends.
     *
     * @param mountIsGone whether servers must end too; if not, they keep the mount until another
     *     holder exists
     */
    public void close(boolean mountIsGone) {
        // Otherwise the end of the serving server's connection would make another one serve beside
        // it.
        succession.close();
        socket.hangUp();
        for (Connection server : connections) {
            if (mountIsGone) {
                server.say(HolderMessage.END);
            }
            server.hangUp();
        }
    }

    @Override
    public void close() {
        close(false);
    }
}
