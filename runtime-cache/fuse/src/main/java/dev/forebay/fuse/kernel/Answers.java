package dev.forebay.fuse.kernel;

import dev.forebay.fuse.fs.Errno;
import dev.forebay.linux.CallState;
import dev.forebay.linux.Descriptor;
import dev.forebay.linux.ErrorNumber;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Makes replies and gives them to the kernel, one after the other. For one thread at a time. */
final class Answers {

    private static final Logger LOG = LoggerFactory.getLogger(Answers.class);

    private final Reply reply;
    private final CallState state = new CallState();

    /**
     * @param room how many bytes a reply can have
     */
    Answers(int room) {
        this.reply = new Reply(room);
    }

    /** The reply that is being made. */
    Reply reply() {
        return reply;
    }

    /**
     * Sends the reply.
     *
     * @param queue where the request came from, or another descriptor of the same device
     * @param result how many bytes it has, or a negative error number
     * @param unique of the request
     */
    void send(Descriptor queue, int result, long unique) {
        if (!write(queue, result, unique)) {
            // Whoever waits for it must not wait for ever.
            boolean _ = write(queue, -Errno.EIO.number(), unique);
        }
    }

    private boolean write(Descriptor queue, int result, long unique) {
        int length = reply.finish(result, unique);
        if (queue.write(reply.memory(), length, state) >= 0) {
            return true;
        }
        return switch (state.errno()) {
            // Nobody waits any more: killed, answered by another process, or unmounted.
            case ErrorNumber.ENOENT, ErrorNumber.ENODEV, ErrorNumber.ECONNABORTED -> true;
            default -> {
                LOG.error("The kernel refuses the answer {}: errno {}", result, state.errno());
                yield false;
            }
        };
    }
}
