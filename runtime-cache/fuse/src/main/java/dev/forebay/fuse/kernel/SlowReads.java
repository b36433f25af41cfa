package dev.forebay.fuse.kernel;

import dev.forebay.fuse.fs.FileSystemView;
import dev.forebay.fuse.fs.Guard;
import dev.forebay.fuse.fs.OpenFile;
import dev.forebay.fuse.fs.Operation;
import dev.forebay.fuse.fs.RecentFailures;
import dev.forebay.fuse.kernel.protocol.Opcode;
import dev.forebay.fuse.kernel.protocol.ReadRequest;
import dev.forebay.fuse.linux.DirectMemory;
import dev.forebay.linux.Descriptor;
import java.time.Duration;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;

/**
 * Reads of bytes that are not on this node. They are taken off those who serve the device, who go
 * on with what is here: a worker or a lake that does not answer holds up its own readers only.
 *
 * <p>A bounded number is under way. Of the others only what was asked for is kept, and the kernel
 * bounds their number: the readahead that it lets be under way, and one for each thread that waits.
 * Platform threads, for the disk that keeps what came holds them in the kernel. Safe for use by
 * many threads.
 */
final class SlowReads {

    /** Each has a buffer of the largest request, about 1 MiB, or waits for one. */
    private static final int AT_ONCE = 64;

    private static final int PART_OF_MEMORY = 8;

    private static final long IDLE_SECONDS = 10;

    private final FileSystemView view;
    private final RememberedFiles files;
    private final Guard guard;
    private final Duration patience;
    private final ExecutorService executor;
    private final AnswerPool pool;
    private final Unanswered unanswered = new Unanswered();
    private final RecentFailures failures = new RecentFailures();

    /**
     * @param patience how long a reader waits at most, from when its request was taken
     */
    SlowReads(
            FileSystemView view,
            RememberedFiles files,
            Guard guard,
            int maxRequestBytes,
            Duration patience) {
        this.view = view;
        this.files = files;
        this.guard = guard;
        this.pool =
                new AnswerPool(
                        DirectMemory.buffers(PART_OF_MEMORY, maxRequestBytes, AT_ONCE),
                        () -> new Answers(maxRequestBytes));
        this.patience = patience;
        ThreadPoolExecutor threads =
                new ThreadPoolExecutor(
                        AT_ONCE,
                        AT_ONCE,
                        IDLE_SECONDS,
                        TimeUnit.SECONDS,
                        new LinkedBlockingQueue<>(),
                        Thread.ofPlatform().daemon().name("slow-read-", 0).factory());
        threads.allowCoreThreadTimeOut(true);
        this.executor = threads;
    }

    /**
     * Takes a request and answers it later, if it is a read of bytes that are not here.
     *
     * @param queue where to answer
     */
    boolean take(Request request, Descriptor queue) {
        if (request.opcode() != Opcode.READ) {
            return false;
        }
        Read read;
        Deferred deferred;
        try {
            read = new Read(request);
            if (isFast(read)) {
                return false;
            }
            deferred =
                    new Deferred(
                            guard, Operation.READ, read, queue, request.unique(), read.timeLeft());
            if (!read.timeLeft().isPositive()) {
                deferred.expire("as just before");
                return true;
            }
            deferred.whenRefused(read::failed);
        } catch (RuntimeException | Error e) {
            // The handler of reads meets the same, and its guard says what it means.
            return false;
        }
        unanswered.add(1);
        try {
            executor.execute(() -> run(read, deferred));
        } catch (OutOfMemoryError noThread) {
            unanswered.add(-1);
            return !deferred.cancel();
        }
        return true;
    }

    /** To open the file may be slow, too. */
    private boolean isFast(Read read) {
        OpenFile file = files.known(read.node);
        if (file == null && view.isHere(read.node)) {
            file = files.file(read.node);
        }
        return file != null && file.isHere(read.offset, read.length);
    }

    private void run(Read read, Deferred deferred) {
        Answers answers = pool.take();
        try {
            deferred.answer(answers, () -> into(answers, read));
        } finally {
            pool.giveBack(answers);
            unanswered.add(-1);
        }
    }

    private int into(Answers answers, Read read) {
        try {
            return read.into(answers);
        } catch (RuntimeException e) {
            // Before the kernel hears of it, for it may ask again at once.
            read.failed();
            throw e;
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

    private final class Read {

        private final long node;
        private final long offset;
        private final int length;
        private final long taken = System.nanoTime();
        private final long deadline;

        Read(Request request) {
            this.node = request.node();
            this.offset = ReadRequest.offset(request.memory());
            this.length = ReadRequest.size(request.memory());
            this.deadline = failures.deadline(node, offset, length, taken + patience.toNanos());
        }

        /** From when it was taken. */
        Duration timeLeft() {
            return Duration.ofNanos(Math.max(0, deadline - taken));
        }

        void failed() {
            failures.add(node, offset, length, deadline);
        }

        int into(Answers answers) {
            Reply reply = answers.reply();
            return files.file(node).read(offset, reply.buffer(reply.room(length)));
        }

        /** For messages. */
        @Override
        public String toString() {
            return view.describe(node);
        }
    }
}
