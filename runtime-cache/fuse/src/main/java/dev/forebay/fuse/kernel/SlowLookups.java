package dev.forebay.fuse.kernel;

import dev.forebay.fuse.fs.FileSystemView;
import dev.forebay.fuse.fs.Guard;
import dev.forebay.fuse.kernel.protocol.Opcode;
import dev.forebay.fuse.kernel.protocol.RequestHeader;
import dev.forebay.linux.Descriptor;
import java.time.Duration;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;

/**
 * Requests for names and attributes of versions whose manifests are not on this node. They are
 * taken off those who serve the device, and have other threads than {@link SlowReads}: a manifest
 * that does not come holds up nobody who reads another version.
 *
 * <p>A bounded number is under way. Of the others only the request is kept, of about 1 KiB at most,
 * and the kernel makes no more of them than there are threads that wait. Platform threads, for
 * SQLite holds them. Safe for use by many threads.
 */
final class SlowLookups {

    private static final int AT_ONCE = 32;

    /** The longest answer is a listing, of which the kernel asks for the rest. */
    private static final int ANSWER_BYTES = 64 << 10;

    private static final long IDLE_SECONDS = 10;

    private final FileSystemView view;
    private final HandlerTable handlers;
    private final Guard guard;
    private final Duration patience;
    private final ExecutorService executor;
    private final AnswerPool pool = new AnswerPool(AT_ONCE, () -> new Answers(ANSWER_BYTES));
    private final Unanswered unanswered = new Unanswered();

    /**
     * @param patience how long a caller waits at most, from when its request was taken
     */
    SlowLookups(FileSystemView view, HandlerTable handlers, Guard guard, Duration patience) {
        this.view = view;
        this.handlers = handlers;
        this.guard = guard;
        this.patience = patience;
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
     * Takes a request and answers it later, if it has to wait for a manifest.
     *
     * @param queue where to answer
     */
    boolean take(Request request, Descriptor queue) {
        Request kept;
        Deferred deferred;
        HandlerTable.Entry asked = handlers.entry(request.opcode());
        try {
            if (isFast(request)) {
                return false;
            }
            kept = request.copy();
            deferred =
                    new Deferred(guard, asked.operation(), kept, queue, request.unique(), patience);
        } catch (RuntimeException | Error e) {
            // The handler meets the same, and its guard says what it means.
            return false;
        }
        unanswered.add(1);
        try {
            executor.execute(() -> run(asked.handler(), kept, deferred));
        } catch (OutOfMemoryError noThread) {
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
            // Reads are the affair of others, and the rest asks nothing of a version.
            default -> true;
        };
    }

    private void run(Handler handler, Request request, Deferred deferred) {
        Answers answers = pool.take();
        try {
            deferred.answer(answers, () -> handler.handle(request, answers.reply()));
        } finally {
            pool.giveBack(answers);
            unanswered.add(-1);
        }
    }

    /**
     * Waits for those that were taken.
     *
     * @return whether all were answered in time
     */
    boolean awaitAnswered(long nanos) throws InterruptedException {
        return unanswered.await(nanos);
    }
}
