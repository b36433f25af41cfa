package dev.forebay.worker.http;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import io.netty.channel.DefaultFileRegion;
import io.netty.util.concurrent.FutureListener;
import io.vertx.core.Future;
import io.vertx.core.Promise;
import io.vertx.core.buffer.Buffer;
import io.vertx.core.http.HttpServerRequest;
import io.vertx.core.http.HttpServerResponse;
import io.vertx.core.net.impl.ConnectionBase;
import java.nio.channels.FileChannel;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.UUID;

/**
 * Sends bytes of an open file. On a plain connection the kernel copies them from the page cache to
 * the socket. On a TLS connection the process reads and encrypts them in small pieces.
 *
 * <p>Vert.x 4 sends files by name only. A name is not safe here, because the chunk may be evicted
 * or replaced after the worker has found it. An open descriptor keeps the file in any case. The
 * descriptor therefore goes to Netty between the response's head and its end: as a file region, or
 * as pieces for TLS. Vert.x does the same with a name, and its TLS pipeline has the handler for
 * pieces.
 *
 * <p>Call it on the connection's event loop. It does not wait for a disk if the bytes are in the
 * page cache.
 */
final class FileSender {

    private FileSender() {}

    /**
     * Sends the response head of {@code request} and the bytes. Owns the file from the call on. The
     * future fails if the client disconnects.
     */
    static Future<Void> send(HttpServerRequest request, WorkerResponse.FileBytes bytes) {
        HttpServerResponse response = request.response();
        if (response.closed() || response.ended()) {
            release(bytes.owner());
            return Future.failedFuture("the client disconnected");
        }
        response.putHeader("Content-Length", Long.toString(bytes.length()));
        // An empty write sends the head on its own.
        response.write(Buffer.buffer());
        Promise<Void> sent = Promise.promise();
        write(
                request,
                bytes,
                written -> {
                    if (written.isSuccess()) {
                        response.end().onComplete(sent);
                    } else {
                        closeSoon(request);
                        sent.fail(written.cause());
                    }
                });
        return sent.future();
    }

    /**
     * Sends several ranges as {@code multipart/byteranges} (RFC 9110, section 14.6). Owns the files
     * from the call on. The future fails if the client disconnects.
     */
    static Future<Void> send(HttpServerRequest request, WorkerResponse.Parts answer) {
        HttpServerResponse response = request.response();
        if (response.closed() || response.ended()) {
            release(answer.parts());
            return Future.failedFuture("the client disconnected");
        }
        String boundary = UUID.randomUUID().toString();
        List<ByteBuf> heads = new ArrayList<>();
        byte[] end = ("\r\n--" + boundary + "--\r\n").getBytes(StandardCharsets.US_ASCII);
        long length = end.length;
        for (WorkerResponse.FileBytes part : answer.parts()) {
            byte[] head = head(boundary, part.headers());
            heads.add(Unpooled.wrappedBuffer(head));
            length += head.length + part.length();
        }
        response.putHeader("Content-Type", "multipart/byteranges; boundary=" + boundary);
        response.putHeader("Content-Length", Long.toString(length));
        response.write(Buffer.buffer());
        // A failed part closes the connection, which makes the following parts fail.
        FutureListener<Void> closing =
                written -> {
                    if (!written.isSuccess()) {
                        closeSoon(request);
                    }
                };
        ConnectionBase connection = (ConnectionBase) request.connection();
        for (int i = 0; i < heads.size(); i++) {
            connection.writeToChannel(heads.get(i), closing);
            write(request, answer.parts().get(i), closing);
        }
        Promise<Void> sent = Promise.promise();
        connection.writeToChannel(
                Unpooled.wrappedBuffer(end),
                written -> {
                    if (written.isSuccess()) {
                        response.end().onComplete(sent);
                    } else {
                        sent.fail(written.cause());
                    }
                });
        return sent.future();
    }

    private static void write(
            HttpServerRequest request,
            WorkerResponse.FileBytes bytes,
            FutureListener<Void> written) {
        ConnectionBase connection = (ConnectionBase) request.connection();
        if (!request.isSSL()) {
            connection.writeToChannel(new Region(bytes), written);
            return;
        }
        FilePieces pieces = new FilePieces(bytes);
        connection.writeToChannel(
                pieces,
                result -> {
                    // A connection that is already closed has no handler left that would close the
                    // file.
                    release(pieces::close);
                    written.operationComplete(result);
                });
    }

    /** Closes the connection in a later task: Netty first releases what could not be written. */
    private static void closeSoon(HttpServerRequest request) {
        ConnectionBase connection = (ConnectionBase) request.connection();
        connection.channel().eventLoop().execute(connection::close);
    }

    private static byte[] head(String boundary, Map<String, String> headers) {
        StringBuilder head = new StringBuilder("\r\n--").append(boundary).append("\r\n");
        headers.forEach((name, value) -> head.append(name + ": " + value + "\r\n"));
        return head.append("\r\n").toString().getBytes(StandardCharsets.US_ASCII);
    }

    /** Closes the files of parts that will not be sent. */
    static void release(List<WorkerResponse.FileBytes> parts) {
        parts.forEach(part -> release(part.owner()));
    }

    private static void release(AutoCloseable owner) {
        try {
            owner.close();
        } catch (Exception e) {
            throw new IllegalStateException("closing a file that was sent", e);
        }
    }

    /** A file region that closes its file when Netty has finished with it. */
    private static final class Region extends DefaultFileRegion {

        private final AutoCloseable owner;

        Region(WorkerResponse.FileBytes bytes) {
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
