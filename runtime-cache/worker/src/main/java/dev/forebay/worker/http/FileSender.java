package dev.forebay.worker.http;

import io.netty.channel.DefaultFileRegion;
import io.vertx.core.Future;
import io.vertx.core.Promise;
import io.vertx.core.buffer.Buffer;
import io.vertx.core.http.HttpServerRequest;
import io.vertx.core.http.HttpServerResponse;
import io.vertx.core.net.impl.ConnectionBase;
import java.nio.channels.FileChannel;

/**
 * Sends bytes of an open file: from the page cache to the socket without copying them through the
 * process, or, where they have to be encrypted on the way, in small pieces through it.
 *
 * <p>Vert.x 4 sends files by name only. A name is the wrong thing here: between looking at a chunk
 * and sending it the chunk may be evicted or replaced. An open descriptor keeps the file that was
 * looked at, whatever becomes of its name, so the descriptor is handed to Netty as a file region,
 * or as pieces, between the response's head and its end. That is what Vert.x itself does with a
 * name; for a connection that is encrypted its pipeline has the handler of pieces.
 *
 * <p>Call on the connection's event loop.
 */
final class FileSender {

    private FileSender() {}

    /**
     * Sends the head that {@code request}'s response was given, and the bytes. Owns the file from
     * the call on. The future fails if the client went away.
     */
    static Future<Void> send(HttpServerRequest request, Answer.FileBytes bytes) {
        HttpServerResponse response = request.response();
        if (response.closed() || response.ended()) {
            release(bytes.owner());
            return Future.failedFuture("the client went away");
        }
        response.putHeader("Content-Length", Long.toString(bytes.length()));
        // An empty write sends the head, on its own.
        response.write(Buffer.buffer());
        Promise<Void> sent = Promise.promise();
        Object body = request.isSSL() ? new FilePieces(bytes) : new Region(bytes);
        ConnectionBase connection = (ConnectionBase) request.connection();
        connection.writeToChannel(
                body,
                written -> {
                    if (body instanceof FilePieces pieces) {
                        // A connection that is closed already has no handler that would do it.
                        release(pieces::close);
                    }
                    if (written.isSuccess()) {
                        response.end().onComplete(sent);
                    } else {
                        request.connection().close();
                        sent.fail(written.cause());
                    }
                });
        return sent.future();
    }

    private static void release(AutoCloseable owner) {
        try {
            owner.close();
        } catch (Exception e) {
            throw new IllegalStateException("closing a file that was sent", e);
        }
    }

    /** A region that gives its file back when Netty is done with it. */
    private static final class Region extends DefaultFileRegion {

        private final AutoCloseable owner;

        Region(Answer.FileBytes bytes) {
            this(bytes.file(), bytes.offset(), bytes.length(), bytes.owner());
        }

        private Region(FileChannel file, long offset, long length, AutoCloseable owner) {
            super(file, offset, length);
            this.owner = owner;
        }

        @Override
        protected void deallocate() {
            super.deallocate();
            FileSender.release(owner);
        }
    }
}
