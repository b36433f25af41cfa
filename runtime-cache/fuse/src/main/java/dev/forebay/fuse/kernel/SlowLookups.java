package dev.forebay.fuse.kernel;

import dev.forebay.fuse.fs.FileSystemView;
import dev.forebay.fuse.fs.UpcallGuard;
import dev.forebay.fuse.kernel.protocol.Opcode;
import dev.forebay.fuse.kernel.protocol.RequestHeader;
import dev.forebay.linux.Descriptor;
import dev.forebay.thread.ThreadStart;
import java.time.Duration;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;

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

    private static final long IDLE_SECONDS = 10;

    private final FileSystemView view;
    private final HandlerTable handlers;
    private final UpcallGuard guard;
    private final Duration timeout;
    private final ExecutorService executor;
    private final AnswerPool pool = new AnswerPool(AT_ONCE, () -> new KernelReplies(ANSWER_BYTES));
    private final RequestsInFlight unanswered = new RequestsInFlight();

    /**
     * @param timeout the timeout of a request, from the time when it was read from the device
     */
    SlowLookups(FileSystemView view, HandlerTable handlers, UpcallGuard guard, Duration timeout) {
        this.view = view;
        this.handlers = handlers;
        this.guard = guard;
        this.timeout = timeout;
        ThreadPoolExecutor threads =
                new ThreadPoolExecutor(
                        AT_ONCE,
                        AT_ONCE,
                        IDLE_SECONDS,
                        TimeUnit.SECONDS,
                        new LinkedBlockingQueue<>(),
                        Thread.ofPlatform().daemon().name("slow-lookup-", 0).factory());
        threads.allowCoreThreadTimeOut(true);
        this.executor = threads;
    }

    /**
     * Takes a request and answers it later if it needs a manifest that is not on this node.
     *
     * @param queue the descriptor to answer on
     * @return whether the request was taken
     */
    boolean take(Request request, Descriptor queue) {
        Request kept;
        DeferredRequest deferred;
        HandlerTable.Entry asked = handlers.entry(request.opcode());
        try {
            if (isFast(request)) {
                return false;
            }
            kept = request.copy();
            deferred =
                    new DeferredRequest(
                            guard, asked.operation(), kept, queue, request.unique(), timeout);
        } catch (RuntimeException | Error e) {
            // The handler fails in the same way, and its guard maps the failure.
            return false;
        }
        Runnable start = () -> executor.execute(() -> run(asked.handler(), kept, deferred));
        unanswered.add(1);
        if (!ThreadStart.attempt(start)) {
            unanswered.add(-1);
            return !deferred.cancel();
        }
        return true;
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

    private void run(Handler handler, Request request, DeferredRequest deferred) {
        KernelReplies answers = pool.take();
        try {
            deferred.answer(answers, () -> handler.handle(request, answers.reply()));
        } finally {
            pool.giveBack(answers);
            unanswered.add(-1);
        }
    }

    /**
     * Waits for the requests that were taken.
     *
     * @return whether all were answered in time
     */
    boolean awaitAnswered(long nanos) throws InterruptedException {
        return unanswered.await(nanos);
    }
}
