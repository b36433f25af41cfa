package dev.forebay.fuse.kernel;

import dev.forebay.fuse.fs.Errno;
import dev.forebay.linux.CallState;
import dev.forebay.linux.Descriptor;
import dev.forebay.linux.ErrorNumber;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Builds replies to requests, and sends them to the kernel, one at a time. Not thread-safe. */
final class KernelReplies {

    private static final Logger LOG = LoggerFactory.getLogger(KernelReplies.class);

    private final Reply reply;
    private final CallState state = new CallState();

    /**
     * @param capacity the maximum number of bytes in a reply
     */
    KernelReplies(int capacity) {
        this.reply = new Reply(capacity);
    }

    /** Returns the reply that is being built. */
    Reply reply() {
        return reply;
    }

    /**
     * Sends the reply.
     *
     * @param queue the descriptor that the request came from, or another one of the same device
     * @param result the number of bytes in the reply, or a negative error number
     * @param unique the number of the request
     */
    void send(Descriptor queue, int result, long unique) {
        if (!write(queue, result, unique)) {
            // Without any answer, the reader would wait forever.
            boolean _ = write(queue, -Errno.EIO.number(), unique);
        }
    }

    private boolean write(Descriptor queue, int result, long unique) {
        int length = reply.finish(result, unique);
        if (queue.write(reply.memory(), length, state) >= 0) {
            return true;
        }
        return switch (state.errno()) {
            // No process waits any more: killed, answered by another server, or unmounted.
            case ErrorNumber.ENOENT, ErrorNumber.ENODEV, ErrorNumber.ECONNABORTED -> true;
            default -> {
                LOG.error(
                        "The kernel refused the reply to request {} with result {}: errno {}",
                        unique,
                        result,
                        state.errno());
                yield false;
            }
        };
    }
}
