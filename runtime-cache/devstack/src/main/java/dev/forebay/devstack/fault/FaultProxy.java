package dev.forebay.devstack.fault;

import java.io.IOException;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.net.URI;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.Function;

/**
 * A proxy for an HTTP/1.1 server that causes faults in the requests that a test chooses. Binds to
 * loopback.
 *
 * <p>Every request gets a connection of its own to the server, and the client's connection ends
 * with the answer. Bytes pass unchanged except for the header {@code Connection}, so signatures
 * over the host and the usual headers stay valid: clients sign for the proxy's address.
 * Thread-safe.
 */
public final class FaultProxy implements AutoCloseable {

    /**
     * The request that a rule decides about.
     *
     * @param method such as GET
     * @param target path and query as sent
     * @param range such as {@code bytes=0-99}; empty if the request has none
     * @param number counts the requests since the rule was set, from 1
     */
    public record Request(String method, String target, String range, long number) {}

    private record Rule(Function<Request, Fault> faults, AtomicLong count) {}

    private final InetSocketAddress server;
    private final LoopbackListener listener = new LoopbackListener();
    private final AtomicLong requests = new AtomicLong();
    private volatile Rule rule = new Rule(request -> Fault.NONE, new AtomicLong());

    private FaultProxy(InetSocketAddress server) {
        this.server = server;
    }

    /** Starts a proxy for a server, on a free port. It causes no faults at first. */
    public static FaultProxy before(URI server) {
        FaultProxy proxy =
                new FaultProxy(new InetSocketAddress(server.getHost(), server.getPort()));
        proxy.listener.begin("fault-proxy", proxy::serve);
        return proxy;
    }

    /** Returns the address for clients. */
    public URI endpoint() {
        return URI.create("http://127.0.0.1:" + listener.port());
    }

    /** Sets the rule that decides about the fault of each later request. */
    public void spoil(Function<Request, Fault> faults) {
        rule = new Rule(faults, new AtomicLong());
    }

    /** Returns the number of requests since the start, including those with faults. */
    public long requests() {
        return requests.get();
    }

    private void serve(Socket client, Socket upstream) throws IOException, InterruptedException {
        Exchange exchange = Exchange.begin(client);
        if (exchange == null) {
            return;
        }
        requests.incrementAndGet();
        Rule now = rule;
        Fault fault =
                now.faults.apply(
                        new Request(
                                exchange.method(),
                                exchange.target(),
                                exchange.range(),
                                now.count.incrementAndGet()));
        exchange.answer(fault, upstream, server);
    }

    /** Breaks all connections. */
    @Override
    public void close() {
        listener.close();
    }
}
