package dev.forebay.fuse.kernel;

import dev.forebay.fuse.fs.FileSystemView;
import dev.forebay.fuse.fs.Guard;
import dev.forebay.fuse.linux.DirectMemory;
import dev.forebay.linux.Descriptor;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicInteger;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Those who serve a device: at any time at least one waits for a request while others may be at
 * work, up to a bound; a surplus ends. What has to wait for others goes to {@link SlowReads} and
 * {@link SlowLookups}. Platform threads, because a thread that waits in the kernel would hold a
 * virtual thread's carrier.
 */
final class RequestThreads {

    private static final Logger LOG = LoggerFactory.getLogger(RequestThreads.class);

    /** Each has a buffer of the largest request, about 1 MiB; fewer where memory is short. */
    private static final int MAX_THREADS = 64;

    private static final int PART_OF_MEMORY = 16;

    private static final int MAX_WAITING = 8;

    /** How often one that does not come back is woken. */
    private static final long WAKE_MILLIS = 2;

    private final FileSystemView view;
    private final Guard guard;
    private final HandlerTable handlers;
    private final SlowReads slowReads;
    private final SlowLookups slowLookups;
    private final List<Descriptor> queues;
    private final int maxRequestBytes;
    private final AtomicInteger waiting = new AtomicInteger();
    private final CompletableFuture<Integer> end = new CompletableFuture<>();
    private volatile boolean stopping;

    // Guarded by this.
    private final Set<RequestThread> alive = new HashSet<>();

    /** Those whose threads have ended; the next one uses the memory of the last of them. */
    private final Deque<RequestThread> rested = new ArrayDeque<>();

    private int most;
    private long started;

    RequestThreads(
            FileSystemView view,
            Guard guard,
            HandlerTable handlers,
            SlowReads slowReads,
            SlowLookups slowLookups,
            FuseDevice device) {
        this.view = view;
        this.guard = guard;
        this.handlers = handlers;
        this.slowReads = slowReads;
        this.slowLookups = slowLookups;
        this.queues = device.descriptors();
        this.maxRequestBytes = device.protocol().maxRequestBytes();
        this.most = DirectMemory.buffers(PART_OF_MEMORY, maxRequestBytes, MAX_THREADS);
    }

    /** Starts one for each queue, or as many as there is memory for, but one at least. */
    synchronized void start() {
        startOne();
        for (int i = 1; i < queues.size(); i++) {
            startAnother();
        }
    }

    /** Without memory for one more those who are there go on, each with the request it has. */
    private synchronized void startAnother() {
        if (stopping || alive.size() >= most) {
            return;
        }
        try {
            startOne();
        } catch (OutOfMemoryError e) {
            most = alive.size();
            LOG.warn("No more than {} threads serve requests: {}", most, e.getMessage());
        }
    }

    private void startOne() {
        RequestThread thread = rested.isEmpty() ? make() : rested.pop();
        alive.add(thread);
        try {
            Thread.ofPlatform().daemon().name("fuse-" + started++).start(thread);
        } catch (OutOfMemoryError e) {
            alive.remove(thread);
            rested.push(thread);
            throw e;
        }
    }

    private RequestThread make() {
        Descriptor queue = queues.get((alive.size() + rested.size()) % queues.size());
        return new RequestThread(
                this,
                queue,
                handlers,
                guard,
                slowReads,
                slowLookups,
                new Request(view),
                new Answers(maxRequestBytes));
    }

    /** Whether a thread is still wanted. */
    boolean mayTakeMore() {
        return !stopping && waiting.get() < MAX_WAITING;
    }

    /** A thread waits for a request. */
    void waits() {
        waiting.incrementAndGet();
    }

    /** A thread waits no more. */
    void works(boolean onRequest) {
        if (waiting.decrementAndGet() == 0 && onRequest) {
            startAnother();
        }
    }

    void unmounted() {
        end.complete(0);
    }

    synchronized void ended(RequestThread thread) {
        alive.remove(thread);
        rested.push(thread);
        if (alive.isEmpty()) {
            end.complete(stopping ? 0 : 1);
        }
        notifyAll();
    }

    /** Completes when nobody serves any more: with 0 if that was asked for, or unmounted. */
    CompletableFuture<Integer> end() {
        return end;
    }

    /**
     * Takes no more requests and waits for those that were taken.
     *
     * @return whether all were answered in time
     */
    synchronized boolean stop(Duration within) throws InterruptedException {
        stopping = true;
        long deadline = System.nanoTime() + within.toNanos();
        while (!alive.isEmpty() && System.nanoTime() - deadline < 0) {
            alive.forEach(RequestThread::wake);
            wait(WAKE_MILLIS);
        }
        return alive.isEmpty()
                && slowReads.awaitAnswered(deadline - System.nanoTime())
                && slowLookups.awaitAnswered(deadline - System.nanoTime());
    }
}
