package dev.forebay.transfer;

import dev.forebay.thread.CatchAll;
import java.io.IOException;
import java.net.URI;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.Callable;
import java.util.concurrent.CompletableFuture;
import javax.net.ssl.SSLContext;
import org.jspecify.annotations.Nullable;

/** A running GET of a range of a pack, on a thread of its own. */
final class RangeFetch implements Runnable, Callable<HttpHead> {

    private final ConnectionPool pool;
    private final Duration connectTimeout;
    private final SSLContext trust;
    private final URI worker;
    private final String pathAndQuery;
    private final List<String> fields;
    private final RangeReceiver receiver;
    private final CompletableFuture<HttpHead> answer = new CompletableFuture<>();

    // Guarded by this.
    private @Nullable HttpConnection inUse;
    private boolean abandoned;
    private boolean receiving;

    /**
     * @param trust for workers with TLS
     * @param fields lines of the request's head
     */
    RangeFetch(
            ConnectionPool pool,
            Duration connectTimeout,
            SSLContext trust,
            URI worker,
            String pathAndQuery,
            List<String> fields,
            RangeReceiver receiver) {
        this.pool = pool;
        this.connectTimeout = connectTimeout;
        this.trust = trust;
        this.worker = worker;
        this.pathAndQuery = pathAndQuery;
        this.fields = fields;
        this.receiver = receiver;
    }

    /**
     * Returns the future of the answer's head. It completes when the whole body has been received,
     * or with the failure.
     */
    CompletableFuture<HttpHead> answer() {
        return answer;
    }

    @Override
    public void run() {
        CatchAll.complete(answer, this);
    }

    /**
     * Ends the request, if it has not ended. Nothing is written to the receiver's buffer after this
     * returns. Otherwise, late bytes of this request could overwrite those of the next worker.
     */
    void abandon() {
        boolean wait;
        synchronized (this) {
            abandoned = true;
            wait = receiving;
            if (inUse != null) {
                inUse.close();
            }
        }
        if (wait) {
            Object _ = answer.handle((_, _) -> true).join();
        }
    }

    @Override
    public HttpHead call() throws IOException {
        for (Optional<HttpConnection> used = pool.take(worker);
                used.isPresent();
                used = pool.take(worker)) {
            try {
                return exchange(used.get());
            } catch (IOException e) {
                if (used.get().answering() || isAbandoned()) {
                    throw e;
                }
                // The worker had closed it. A GET can be sent again (RFC 9110, section 9.2.2).
                pool.forget(worker);
            }
        }
        return exchange(new HttpConnection(worker));
    }

    private HttpHead exchange(HttpConnection connection) throws IOException {
        use(connection);
        boolean reusable = false;
        try {
            if (!connection.connected()) {
                connection.connect(connectTimeout, trust);
            }
            connection.get(pathAndQuery, fields);
            HttpHead head = connection.head();
            HttpConnection.Body body = connection.body(head);
            beginReceiving();
            receiver.receive(head, body);
            reusable =
                    body.ended()
                            && connection.clean()
                            && !head.field("connection").equalsIgnoreCase("close");
            return head;
        } finally {
            if (release() && reusable) {
                pool.give(worker, connection);
            } else {
                connection.close();
            }
        }
    }

    private synchronized void use(HttpConnection connection) throws IOException {
        if (abandoned) {
            connection.close();
            throw new IOException("given up");
        }
        inUse = connection;
    }

    private synchronized void beginReceiving() throws IOException {
        if (abandoned) {
            throw new IOException("given up");
        }
        receiving = true;
    }

    /** Returns whether the connection is still usable. */
    private synchronized boolean release() {
        inUse = null;
        return !abandoned;
    }

    private synchronized boolean isAbandoned() {
        return abandoned;
    }
}
