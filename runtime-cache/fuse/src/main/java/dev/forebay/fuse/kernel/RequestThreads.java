package dev.forebay.fuse.kernel;

import dev.forebay.fuse.fs.FileSystemView;
import dev.forebay.fuse.fs.UpcallGuard;
import dev.forebay.fuse.kernel.device.FuseDevice;
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
 * The threads that serve a device. While some work, at least one waits for a request, up to a
 * maximum number of threads. Surplus idle threads end. Requests that must wait for other nodes go
 * to {@link SlowReads} and {@link SlowLookups}. These are platform threads, because a thread that
 * waits in the kernel would block a virtual thread's carrier.
 */
final class RequestThreads {

    private static final Logger LOG = LoggerFactory.getLogger(RequestThreads.class);

    /**
     * The maximum number of threads. Each has a buffer of the largest request, about 1 MiB, so
     * there are fewer if memory is short.
     */
    private static final int MAX_THREADS = 64;

    private static final int PART_OF_MEMORY = 16;

    private static final int MAX_WAITING = 8;

    /** The interval at which a thread that still waits for a request is woken. */
    private static final long WAKE_MILLIS = 2;

    private final FileSystemView view;
    private final UpcallGuard guard;
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

    /**
     * The runnables of threads that have ended; the next thread reuses the memory of the last one.
     */
    private final Deque<RequestThread> rested = new ArrayDeque<>();

    private int most;
    private long started;

    RequestThreads(
            FileSystemView view,
            UpcallGuard guard,
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

    /** Starts one thread per queue, or as many as memory permits, but at least one. */
    synchronized void start() {
        startOne();
        for (int i = 1; i < queues.size(); i++) {
            startAnother();
        }
    }

    /** Starts a thread. If memory is short, the existing threads continue without it. */
    private synchronized void startAnother() {
        if (stopping || alive.size() >= most) {
            return;
        }
        try {
            startOne();
        } catch (OutOfMemoryError e) {
            most = alive.size();
            LOG.warn("Serving requests with only {} threads: {}", most, e.getMessage());
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
                new KernelReplies(maxRequestBytes));
    }

    /** Returns whether a thread should take another request. */
    boolean mayTakeMore() {
        return !stopping && waiting.get() < MAX_WAITING;
    }

    /** Records that a thread waits for a request. */
    void waits() {
        waiting.incrementAndGet();
    }

    /** Records that a thread no longer waits, and starts another one if none is waiting. */
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

    /**
     * Returns a future that completes when no thread serves any more: with 0 after {@link #stop} or
     * an unmount.
     */
    CompletableFuture<Integer> end() {
        return end;
    }

    /**
     * Stops taking requests and waits for those that were taken.
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
