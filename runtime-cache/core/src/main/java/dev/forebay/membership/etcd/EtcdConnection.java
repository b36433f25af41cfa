package dev.forebay.membership.etcd;

import dev.forebay.model.Backoff;
import dev.forebay.model.ErrorCode;
import dev.forebay.model.ForebayException;
import dev.forebay.thread.Pauses;
import dev.forebay.tls.TlsSettings;
import io.etcd.jetcd.ByteSequence;
import io.etcd.jetcd.Client;
import io.etcd.jetcd.ClientBuilder;
import io.etcd.jetcd.Watch;
import io.etcd.jetcd.common.exception.EtcdException;
import io.etcd.jetcd.options.WatchOption;
import io.grpc.CallOptions;
import io.grpc.Channel;
import io.grpc.ClientCall;
import io.grpc.ClientInterceptor;
import io.grpc.MethodDescriptor;
import io.grpc.netty.GrpcSslContexts;
import io.netty.handler.ssl.SslContext;
import io.netty.handler.ssl.SslContextBuilder;
import io.netty.handler.ssl.SslProvider;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.net.Proxy;
import java.net.Socket;
import java.net.URI;
import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import java.util.function.Function;
import javax.net.ssl.SSLException;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Holds the client of a region's etcd, and replaces it when it is stuck in a long backoff.
 *
 * <p>After an outage, gRPC waits up to two minutes before it tries again, and jetcd has no way to
 * shorten that. Therefore {@link #refresh} makes a new client as soon as the server accepts
 * connections.
 */
class EtcdConnection implements EtcdAccess, AutoCloseable {

    private static final Logger LOG = LoggerFactory.getLogger(EtcdConnection.class);
    private static final int MAX_ANSWER_BYTES = 64 << 20;
    private static final Backoff BACKOFF =
            new Backoff(Duration.ofMillis(50), Duration.ofMillis(500));

    private final EtcdConfig config;
    private final Optional<SslContext> tls;
    private volatile Client client;
    private volatile boolean closed;

    /**
     * Creates a client, which connects at its first use.
     *
     * @throws ForebayException {@code INVALID_ARGUMENT} if a file for TLS cannot be used
     */
    EtcdConnection(EtcdConfig config) {
        this.config = config;
        this.tls = config.isEncrypted() ? Optional.of(context(config.tls())) : Optional.empty();
        this.client = newClient();
    }

    EtcdConfig config() {
        return config;
    }

    /**
     * Runs an operation, and repeats it while etcd is unavailable, until the request timeout.
     *
     * @param operation may run several times, even after an earlier run took effect without an
     *     answer
     */
    <T> T run(Function<EtcdSession, T> operation) {
        long deadline = System.nanoTime() + config.requestTimeout().toNanos();
        for (int failures = 1; ; failures++) {
            Duration pause = BACKOFF.after(failures);
            try {
                return operation.apply(new EtcdSession(client, deadline));
            } catch (ForebayException e) {
                boolean timeLeft = deadline - System.nanoTime() > pause.toNanos();
                // A failure without a cause is Forebay's own refusal: etcd did answer.
                boolean passes = e.code() == ErrorCode.UNAVAILABLE && e.getCause() != null;
                if (!passes || !timeLeft || closed) {
                    throw e;
                }
            } catch (IllegalStateException | EtcdException e) {
                // The client was just replaced. The next attempt uses the new one.
                if (closed) {
                    throw new ForebayException(ErrorCode.UNAVAILABLE, "closed", e);
                }
            }
            Pauses.sleep(pause);
        }
    }

    @Override
    public <T> T with(Function<EtcdCalls, T> calls) {
        return run(calls::apply);
    }

    Watch.Watcher watch(ByteSequence prefix, long fromRevision, Watch.Listener listener) {
        WatchOption option =
                WatchOption.builder()
                        .isPrefix(true)
                        .withRevision(fromRevision)
                        .withRequireLeader(true)
                        .build();
        return client.getWatchClient().watch(prefix, option, listener);
    }

    /** Makes a new client if an endpoint accepts connections. */
    synchronized void refresh() {
        if (!closed && config.endpoints().stream().anyMatch(this::accepts)) {
            Client old = client;
            client = newClient();
            old.close();
            LOG.debug("Made a new etcd client");
        }
    }

    private boolean accepts(URI endpoint) {
        // Jetcd uses no proxy either: its name resolvers ask for none.
        try (Socket socket = new Socket(Proxy.NO_PROXY)) {
            socket.connect(
                    new InetSocketAddress(endpoint.getHost(), endpoint.getPort()),
                    (int) config.retryDelay().toMillis());
            return true;
        } catch (IOException e) {
            return false;
        }
    }

    private Client newClient() {
        ClientBuilder builder =
                Client.builder()
                        .endpoints(config.endpoints())
                        // Calls must not queue up in the client while etcd is away.
                        .waitForReady(false)
                        .retryMaxAttempts(0)
                        .connectTimeout(config.retryDelay())
                        .keepaliveTime(Duration.ofSeconds(10))
                        .keepaliveTimeout(config.requestTimeout())
                        .maxInboundMessageSize(MAX_ANSWER_BYTES)
                        .interceptor(new Deadlines(config.requestTimeout()));
        tls.ifPresent(builder::sslContext);
        return builder.build();
    }

    /**
     * Creates the TLS context. Jetcd checks that each member's certificate is for the host of its
     * endpoint.
     */
    private static SslContext context(TlsSettings files) {
        SslContextBuilder builder =
                GrpcSslContexts.configure(SslContextBuilder.forClient(), SslProvider.JDK);
        files.trusted().ifPresent(builder::trustManager);
        files.shown().ifPresent(builder::keyManager);
        try {
            return builder.build();
        } catch (SSLException e) {
            throw new ForebayException(ErrorCode.INTERNAL, "cannot set up TLS to etcd", e);
        }
    }

    @Override
    public synchronized void close() {
        closed = true;
        client.close();
    }

    /**
     * Gives every call but a watch a deadline, so that a call whose caller has left does not wait
     * for ever.
     */
    private record Deadlines(Duration timeout) implements ClientInterceptor {
        @Override
        public <Q, A> ClientCall<Q, A> interceptCall(
                MethodDescriptor<Q, A> method, CallOptions options, Channel next) {
            boolean endless = method.getFullMethodName().equals("etcdserverpb.Watch/Watch");
            return next.newCall(
                    method,
                    endless
                            ? options
                            : options.withDeadlineAfter(timeout.toMillis(), TimeUnit.MILLISECONDS));
        }
    }
}
