package dev.forebay.fuse.csi;

import dev.forebay.csi.IdentityGrpc;
import dev.forebay.csi.ProbeRequest;
import dev.forebay.model.ErrorCode;
import dev.forebay.model.ForebayException;
import io.grpc.ManagedChannel;
import io.grpc.Server;
import io.grpc.netty.NettyChannelBuilder;
import io.grpc.netty.NettyServerBuilder;
import io.netty.channel.EventLoopGroup;
import io.netty.channel.epoll.Epoll;
import io.netty.channel.epoll.EpollDomainSocketChannel;
import io.netty.channel.epoll.EpollEventLoopGroup;
import io.netty.channel.epoll.EpollServerDomainSocketChannel;
import io.netty.channel.unix.DomainSocketAddress;
import io.netty.util.concurrent.DefaultThreadFactory;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.attribute.BasicFileAttributes;
import java.nio.file.attribute.PosixFilePermissions;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** The CSI driver: serves Identity and Node by gRPC on a Unix socket. Thread-safe. */
public final class Driver implements AutoCloseable {

    private static final Logger LOG = LoggerFactory.getLogger(Driver.class);

    /**
     * Several times the size that the interface's own limits permit for the fields of a request.
     */
    private static final int MESSAGE_BYTES = 64 << 10;

    private static final int METADATA_BYTES = 8 << 10;

    /** {@code sun_path} of unix(7) without the terminating NUL. */
    private static final int SOCKET_PATH_BYTES = 107;

    /** These threads validate requests and pass them on. */
    private static final int HANDLING_THREADS = 2;

    /** The timeout of each step of closing, in addition to the running calls. */
    private static final int END_SECONDS = 1;

    private final DriverConfig config;
    private final VolumeCalls calls;
    private final ExecutorService handling;
    private final EventLoopGroup events;
    private final Server server;

    /** A connection to its own socket, for {@link #answers}. */
    private final ManagedChannel own;

    /** The identity of the socket's file. */
    private final Object file;

    private volatile boolean ends;

    private Driver(DriverConfig config) throws IOException {
        this.config = config;
        Volumes volumes = new Volumes(config.tree(), config.firstTimeout(), config.imageTimeout());
        calls = new VolumeCalls(config.calls(), config.timeout());
        handling =
                Executors.newFixedThreadPool(
                        HANDLING_THREADS, Thread.ofPlatform().daemon().name("csi-", 0).factory());
        events = new EpollEventLoopGroup(1, new DefaultThreadFactory("csi-socket", true));
        server =
                NettyServerBuilder.forAddress(new DomainSocketAddress(config.socket().toFile()))
                        .channelType(EpollServerDomainSocketChannel.class)
                        .bossEventLoopGroup(events)
                        .workerEventLoopGroup(events)
                        .executor(handling)
                        .maxInboundMessageSize(MESSAGE_BYTES)
                        .maxInboundMetadataSize(METADATA_BYTES)
                        .maxConcurrentCallsPerConnection(2 * config.calls() + HANDLING_THREADS)
                        .addService(new IdentityService(config.version(), volumes))
                        .addService(
                                new NodeService(
                                        config.node(),
                                        new Targets(config.targets()),
                                        volumes,
                                        calls))
                        .build();
        own =
                NettyChannelBuilder.forAddress(new DomainSocketAddress(config.socket().toFile()))
                        .channelType(EpollDomainSocketChannel.class)
                        .eventLoopGroup(events)
                        .usePlaintext()
                        .build();
        try {
            server.start();
            // Orchestrators run as root; no other user may have volumes mounted.
            Files.setPosixFilePermissions(
                    config.socket(), PosixFilePermissions.fromString("rw-------"));
            file = identity(config.socket());
        } catch (IOException e) {
            close();
            throw e;
        }
    }

    /**
     * Starts to listen, and replaces the socket of a driver that has died.
     *
     * @throws ForebayException {@code INVALID_ARGUMENT} if it cannot listen; names the option
     */
    public static Driver start(DriverConfig config) {
        Path socket = config.socket();
        if (socket.toString().getBytes(StandardCharsets.UTF_8).length > SOCKET_PATH_BYTES) {
            throw refused(
                    "--socket is %s: the path of a socket must have at most %d bytes"
                            .formatted(socket, SOCKET_PATH_BYTES),
                    null);
        }
        if (!Epoll.isAvailable()) {
            throw refused(
                    "--socket: cannot listen on Unix sockets here: " + Epoll.unavailabilityCause(),
                    Epoll.unavailabilityCause());
        }
        try {
            removeLeftOver(socket);
            return new Driver(config);
        } catch (IOException e) {
            throw refused("--socket: cannot listen on %s: %s".formatted(socket, e), e);
        }
    }

    private static void removeLeftOver(Path socket) throws IOException {
        try {
            BasicFileAttributes attributes =
                    Files.readAttributes(
                            socket, BasicFileAttributes.class, LinkOption.NOFOLLOW_LINKS);
            if (!attributes.isOther()) {
                throw refused(
                        "--socket is %s, which exists and is not a socket".formatted(socket), null);
            }
            Files.delete(socket);
        } catch (NoSuchFileException e) {
            // The usual case: there is no old socket.
        }
    }

    private static ForebayException refused(String message, @Nullable Throwable cause) {
        return new ForebayException(ErrorCode.INVALID_ARGUMENT, message, cause);
    }

    /**
     * Includes the modification time, because a new file may reuse the inode number of the old one.
     */
    private static Object identity(Path socket) throws IOException {
        BasicFileAttributes attributes =
                Files.readAttributes(socket, BasicFileAttributes.class, LinkOption.NOFOLLOW_LINKS);
        return List.of(attributes.fileKey(), attributes.lastModifiedTime());
    }

    /** Returns whether an orchestrator that connects now reaches this driver. */
    private boolean isFound() {
        try {
            return identity(config.socket()).equals(file);
        } catch (IOException e) {
            return false;
        }
    }

    /**
     * Returns whether the driver answers a request through its socket in time, with any result.
     * Returns false if it is closed, or if the socket was removed or replaced.
     */
    public boolean answers(Duration timeout) {
        if (ends) {
            return false;
        }
        if (!isFound()) {
            LOG.warn("Another process replaced {}, the socket of this driver", config.socket());
            return false;
        }
        try {
            // After a failure, gRPC would not reconnect for minutes.
            own.resetConnectBackoff();
            // The deadline informs the server. The future has its own timeout, because the event
            // loop may end meanwhile.
            var _ =
                    IdentityGrpc.newFutureStub(own)
                            .withWaitForReady()
                            .withDeadlineAfter(timeout.toNanos(), TimeUnit.NANOSECONDS)
                            .probe(ProbeRequest.getDefaultInstance())
                            .get(timeout.toNanos(), TimeUnit.NANOSECONDS);
            return true;
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            return false;
        } catch (ExecutionException | TimeoutException e) {
            LOG.warn("The driver does not answer its own health check: {}", e.toString());
            return false;
        } catch (RuntimeException e) {
            // The driver was closed meanwhile: the event loop accepts no more tasks.
            LOG.warn("The driver stopped answering its own health check: {}", e.toString());
            return false;
        }
    }

    /** Waits until the driver is closed. */
    public void awaitEnd() throws InterruptedException {
        server.awaitTermination();
    }

    /**
     * Closes the driver for new calls. Calls that wait for a version fail at once. Calls that mount
     * or unmount finish within {@link DriverConfig#drain}. Published volumes stay.
     */
    @Override
    public void close() {
        ends = true;
        var _ = own.shutdownNow();
        server.shutdown();
        calls.stop();
        try {
            if (!server.awaitTermination(config.drain().toMillis(), TimeUnit.MILLISECONDS)) {
                LOG.warn("Calls are still running after {}", config.drain());
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
        server.shutdownNow();
        calls.close();
        awaitTold();
        handling.shutdown();
        var _ =
                events.shutdownGracefully(0, END_SECONDS, TimeUnit.SECONDS)
                        .awaitUninterruptibly(END_SECONDS, TimeUnit.SECONDS);
    }

    /** Waits until cancelled callers have their answers, while the event loop still runs. */
    private void awaitTold() {
        try {
            var _ = server.awaitTermination(END_SECONDS, TimeUnit.SECONDS);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }
}
