package dev.forebay.devstack.fault;

import java.io.IOException;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.net.URI;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.Function;

/**
 * A proxy before an HTTP/1.1 server that spoils requests as a test says. Binds to loopback.
 *
 * <p>Every request gets a connection of its own to the server, and the client's connection ends
 * with the answer. Bytes pass unchanged but for the header {@code Connection}, so signatures over
 * the host and the usual headers stay good: clients sign for the proxy's address. Safe for use by
 * many threads.
 */
public final class FaultProxy implements AutoCloseable {

    /**
     * A request as a rule sees it.
     *
     * @param method such as GET
     * @param target path and query as sent
     * @param range such as {@code bytes=0-99}, empty without one
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

    /** Starts a proxy on a free port before a server; without faults at first. */
    public static FaultProxy before(URI server) {
        FaultProxy proxy =
                new FaultProxy(new InetSocketAddress(server.getHost(), server.getPort()));
        proxy.listener.begin("fault-proxy", proxy::serve);
        return proxy;
    }

    /** Where clients connect. */
    public URI endpoint() {
        return URI.create("http://127.0.0.1:" + listener.port());
    }

    /** From now on asks {@code faults} what to do to each request. */
    public void spoil(Function<Request, Fault> faults) {
        rule = new Rule(faults, new AtomicLong());
    }

    /** How many requests came since the start, spoilt ones included. */
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
