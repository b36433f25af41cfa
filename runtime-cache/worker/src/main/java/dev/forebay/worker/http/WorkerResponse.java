package dev.forebay.worker.http;

import io.vertx.core.json.JsonObject;
import java.nio.channels.FileChannel;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Callable;

/** The response that a handler returns from its virtual thread. */
sealed interface WorkerResponse {

    /**
     * No response yet: the work may take long and continues in another lane, so that short work
     * does not queue behind it.
     */
    record Later(RequestQueue lane, Callable<WorkerResponse> work) implements WorkerResponse {}

    /** 200 with a small JSON body. */
    record Json(JsonObject body) implements WorkerResponse {}

    /**
     * Bytes {@code [offset, offset + length)} of an open file, sent by the kernel where possible.
     *
     * @param status 200 or 206
     * @param owner closed when the bytes are sent or cannot be sent
     */
    record FileBytes(
            int status,
            Map<String, String> headers,
            FileChannel file,
            long offset,
            long length,
            AutoCloseable owner)
            implements WorkerResponse {}

    /**
     * 206 with several ranges, each with its own headers.
     *
     * @param parts at least one, in the order in which they are sent
     */
    record Parts(Map<String, String> headers, List<FileBytes> parts) implements WorkerResponse {}
}
