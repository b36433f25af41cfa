package dev.forebay.fuse.kernel;

import dev.forebay.fuse.fs.FileSystemView;
import dev.forebay.fuse.fs.UpcallGuard;
import dev.forebay.fuse.kernel.protocol.Opcode;
import dev.forebay.fuse.kernel.protocol.RequestHeader;
import dev.forebay.linux.Descriptor;
import java.time.Duration;

/**
 * Answers requests for names and attributes of versions whose manifests are not on this node. These
 * requests leave the threads that serve the device. They do not share threads with {@link
 * SlowReads}, so a slow manifest delays no reader of another version.
 *
 * <p>A bounded number runs at once. The others wait in a queue, each as a copy of its request of at
 * most about 1 KiB. Each waiting program thread causes one request, which bounds the queue.
 * Platform threads run them, because SQLite would block carriers of virtual threads. Thread-safe.
 */
final class SlowLookups {

    private static final int AT_ONCE = 32;

    /** The longest answer is a listing; the kernel asks for the rest with another request. */
    private static final int ANSWER_BYTES = 64 << 10;

    private final FileSystemView view;
    private final HandlerTable handlers;
    private final UpcallGuard guard;
    private final Duration timeout;
    private final DeferredAnswers answers =
            new DeferredAnswers(
                    "slow-lookup-",
                    AT_ONCE,
                    new AnswerPool(AT_ONCE, () -> new KernelReplies(ANSWER_BYTES)));

    /**
     * @param timeout the timeout of a request, from the time when it was read from the device
     */
    SlowLookups(FileSystemView view, HandlerTable handlers, UpcallGuard guard, Duration timeout) {
        this.view = view;
        this.handlers = handlers;
        this.guard = guard;
        this.timeout = timeout;
    }

    /**
     * Takes a request and answers it later if it needs a manifest that is not on this node.
     *
     * @param queue the descriptor to answer on
     * @return whether the request was taken
     */
    boolean take(Request request, Descriptor queue) {
        DeferredRequest deferred = null;
        HandlerTable.Entry asked = handlers.entry(request.opcode());
        try {
            if (isFast(request)) {
                return false;
            }
            Request kept = request.copy();
            deferred =
                    new DeferredRequest(
                            guard, asked.operation(), kept, queue, request.unique(), timeout);
            return answers.take(deferred, buffer -> asked.handler().handle(kept, buffer.reply()));
        } catch (RuntimeException | Error e) {
            // The handler fails in the same way, and its guard maps the failure.
            return deferred != null && !deferred.cancel();
        }
    }

    private boolean isFast(Request request) {
        return switch (request.opcode()) {
            case Opcode.LOOKUP -> view.isHere(request.node(), request.name(RequestHeader.BYTES));
            case Opcode.GETATTR,
                    Opcode.STATX,
                    Opcode.ACCESS,
                    Opcode.OPENDIR,
                    Opcode.READDIR,
                    Opcode.READDIRPLUS,
                    Opcode.GETXATTR,
                    Opcode.LISTXATTR,
                    Opcode.LSEEK ->
                    view.isHere(request.node());
            // Reads go to SlowReads; other requests need nothing of a version.
            default -> true;
        };
    }

    /**
     * Waits for the requests that were taken.
     *
     * @return whether all were answered in time
     */
    boolean awaitAnswered(long nanos) throws InterruptedException {
        return answers.awaitAll(nanos);
    }
}
