package dev.forebay.worker.http;

import io.vertx.core.json.JsonObject;
import java.nio.channels.FileChannel;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Callable;

/** What a handler, done on its virtual thread, wants written. */
sealed interface Answer {

    /**
     * Nothing yet: the work may take long and goes on in another lane, so that those whose work is
     * short need not stand behind it.
     */
    record Later(Lane lane, Callable<Answer> work) implements Answer {}

    /** 200 with a small JSON body. */
    record Json(JsonObject body) implements Answer {}

    /**
     * Bytes {@code [offset, offset + length)} of an open file, by way of the kernel.
     *
     * @param status 200 or 206
     * @param owner closed when the bytes are sent or cannot be
     */
    record FileBytes(
            int status,
            Map<String, String> headers,
            FileChannel file,
            long offset,
            long length,
            AutoCloseable owner)
            implements Answer {}

    /**
     * 206 with several ranges, each with a head of its own.
     *
     * @param parts in the order in which they are sent, at least one
     */
    record Parts(Map<String, String> headers, List<FileBytes> parts) implements Answer {}
}
