package dev.forebay.fuse.kernel;

import dev.forebay.fuse.fs.Errno;
import dev.forebay.fuse.fs.UpcallGuard;
import dev.forebay.fuse.linux.BlockedThread;
import dev.forebay.linux.CallState;
import dev.forebay.linux.Descriptor;
import dev.forebay.linux.ErrorNumber;
import dev.forebay.thread.CatchAll;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** A thread that reads requests from the device and answers them one after the other. */
final class RequestThread implements Runnable {

    private static final Logger LOG = LoggerFactory.getLogger(RequestThread.class);

    private final RequestThreads all;
    private final Descriptor queue;
    private final HandlerTable handlers;
    private final UpcallGuard guard;
    private final Request request;
    private final SlowReads slowReads;
    private final SlowLookups slowLookups;
    private final KernelReplies answers;
    private final CallState state = new CallState();

    /** The guarded operation, created once so that requests create no garbage. */
    private final UpcallGuard.Body handling = this::handle;

    private HandlerTable.@Nullable Entry entry;
    private volatile @Nullable BlockedThread reading;

    /**
     * @param queue the descriptor of the device to read requests from
     */
    RequestThread(
            RequestThreads all,
            Descriptor queue,
            HandlerTable handlers,
            UpcallGuard guard,
            SlowReads slowReads,
            SlowLookups slowLookups,
            Request request,
            KernelReplies answers) {
        this.all = all;
        this.queue = queue;
        this.handlers = handlers;
        this.guard = guard;
        this.request = request;
        this.slowReads = slowReads;
        this.slowLookups = slowLookups;
        this.answers = answers;
    }

    /**
     * Ends with a failure only by a defect, because the guard handles those of requests. Other
     * threads continue.
     */
    @Override
    public void run() {
        boolean _ =
                CatchAll.run(
                        this::serveAll, e -> LOG.error("A thread that serves requests failed", e));
    }

    private void serveAll() {
        try {
            BlockedThread self = BlockedThread.current();
            while (all.mayTakeMore()) {
                long bytes = take(self);
                if (bytes > 0) {
                    serve(bytes);
                } else if (bytes == 0 || isTheEnd(state.errno())) {
                    return;
                }
            }
        } finally {
            all.ended(this);
        }
    }

    private long take(BlockedThread self) {
        all.waits();
        reading = self;
        long bytes = queue.read(request.memory(), state);
        reading = null;
        all.works(bytes > 0);
        return bytes;
    }

    /** Interrupts the thread if it waits for a request. */
    void wake() {
        BlockedThread blocked = reading;
        if (blocked != null) {
            blocked.wake();
        }
    }

    private boolean isTheEnd(int errno) {
        return switch (errno) {
            // ENOENT: the kernel withdrew the request while it was being read.
            case ErrorNumber.EINTR, ErrorNumber.EAGAIN, ErrorNumber.ENOENT -> false;
            case ErrorNumber.ENODEV, ErrorNumber.ECONNABORTED -> {
                all.unmounted();
                yield true;
            }
            default -> {
                LOG.error("Cannot read requests, so this thread ends: errno {}", errno);
                yield true;
            }
        };
    }

    private void serve(long bytes) {
        if (!request.received(bytes)) {
            LOG.error("Ignoring an invalid request of {} bytes", bytes);
            return;
        }
        boolean answered = false;
        try {
            answer();
            answered = true;
        } finally {
            if (!answered) {
                // Without an answer, the reader would wait forever.
                answers.send(queue, -Errno.EIO.number(), request.unique());
            }
        }
    }

    private void answer() {
        if (slowReads.take(request, queue) || slowLookups.take(request, queue)) {
            return;
        }
        HandlerTable.Entry asked = handlers.entry(request.opcode());
        entry = asked;
        int result = guard.run(asked.operation(), request, handling);
        if (asked.answered()) {
            answers.send(queue, result, request.unique());
        }
    }

    private int handle() {
        HandlerTable.Entry asked = entry;
        return asked == null ? 0 : asked.handler().handle(request, answers.reply());
    }
}
