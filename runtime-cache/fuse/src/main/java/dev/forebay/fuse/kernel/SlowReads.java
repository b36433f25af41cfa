package dev.forebay.fuse.kernel;

import dev.forebay.fuse.fs.FileSystemView;
import dev.forebay.fuse.fs.OpenFile;
import dev.forebay.fuse.fs.Operation;
import dev.forebay.fuse.fs.RecentFailures;
import dev.forebay.fuse.fs.UpcallGuard;
import dev.forebay.fuse.kernel.protocol.Opcode;
import dev.forebay.fuse.kernel.protocol.ReadRequest;
import dev.forebay.fuse.linux.DirectMemory;
import dev.forebay.linux.Descriptor;
import java.time.Duration;

/**
 * Answers reads of bytes that are not on this node. These requests leave the threads that serve the
 * device, which continue with bytes that are here. A slow worker or lake therefore delays only its
 * own readers.
 *
 * <p>A bounded number runs at once. The others wait in a queue that holds only what was asked for.
 * The kernel bounds their number: its own read-ahead, and one request per waiting program thread.
 * Platform threads run them, because writes to the node cache's disk block in the kernel.
 * Thread-safe.
 */
final class SlowReads {

    /**
     * The maximum number at once. Each has a buffer of the largest request, about 1 MiB, or waits
     * for one.
     */
    private static final int AT_ONCE = 64;

    private static final int PART_OF_MEMORY = 8;

    private final FileSystemView view;
    private final RememberedFiles files;
    private final UpcallGuard guard;
    private final Duration timeout;
    private final DeferredAnswers answers;
    private final RecentFailures failures = new RecentFailures();

    /**
     * @param timeout the timeout of a read, from the time when it was taken from the device
     */
    SlowReads(
            FileSystemView view,
            RememberedFiles files,
            UpcallGuard guard,
            int maxRequestBytes,
            Duration timeout) {
        this.view = view;
        this.files = files;
        this.guard = guard;
        this.timeout = timeout;
        this.answers =
                new DeferredAnswers(
                        "slow-read-",
                        AT_ONCE,
                        new AnswerPool(
                                DirectMemory.buffers(PART_OF_MEMORY, maxRequestBytes, AT_ONCE),
                                () -> new KernelReplies(maxRequestBytes)));
    }

    /**
     * Takes a request and answers it later if it reads bytes that are not on this node.
     *
     * @param queue the descriptor to answer on
     * @return whether the request was taken
     */
    boolean take(Request request, Descriptor queue) {
        if (request.opcode() != Opcode.READ) {
            return false;
        }
        DeferredRequest deferred = null;
        try {
            Read read = new Read(request);
            if (isFast(read)) {
                return false;
            }
            deferred =
                    new DeferredRequest(
                            guard, Operation.READ, read, queue, request.unique(), read.timeLeft());
            if (!read.timeLeft().isPositive()) {
                deferred.expire("as just before");
                return true;
            }
            deferred.whenRefused(read::failed);
            return answers.take(deferred, buffer -> into(buffer, read));
        } catch (RuntimeException | Error e) {
            // The read handler fails in the same way, and its guard maps the failure.
            return deferred != null && !deferred.cancel();
        }
    }

    /**
     * Returns whether the file is open or can be opened, and read, without waiting for other nodes.
     */
    private boolean isFast(Read read) {
        OpenFile file = files.known(read.node);
        if (file == null && view.isHere(read.node)) {
            file = files.file(read.node);
        }
        return file != null && file.isHere(read.offset, read.length);
    }

    private int into(KernelReplies answers, Read read) {
        try {
            return read.into(answers);
        } catch (RuntimeException e) {
            // Before the kernel gets the answer, because it may ask again at once.
            read.failed();
            throw e;
        }
    }

    /**
     * Waits for the requests that were taken.
     *
     * @return whether all were answered in time
     */
    boolean awaitAnswered(long nanos) throws InterruptedException {
        return answers.awaitAll(nanos);
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
            this.deadline = failures.deadline(node, offset, length, taken + timeout.toNanos());
        }

        /** Returns the time from when it was taken until its deadline. */
        Duration timeLeft() {
            return Duration.ofNanos(Math.max(0, deadline - taken));
        }

        void failed() {
            failures.add(node, offset, length, deadline);
        }

        int into(KernelReplies answers) {
            Reply reply = answers.reply();
            return files.file(node).read(offset, reply.buffer(reply.capacity(length)));
        }

        /** Returns a description for messages. */
        @Override
        public String toString() {
            return view.describe(node);
        }
    }
}
