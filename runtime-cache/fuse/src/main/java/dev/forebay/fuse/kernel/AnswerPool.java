package dev.forebay.fuse.kernel;

import java.util.ArrayDeque;
import java.util.Deque;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * A pool of reply buffers that threads share. It grows to its maximum while the JVM provides
 * memory. After that, threads wait for a buffer. Buffers are never freed, because freeing locked
 * memory is worse than keeping it (see {@link dev.forebay.fuse.linux.LockedMemory}). Thread-safe.
 */
final class AnswerPool {

    private static final Logger LOG = LoggerFactory.getLogger(AnswerPool.class);

    private final Supplier<KernelReplies> maker;
    private final ReentrantLock lock = new ReentrantLock();
    private final Condition givenBack = lock.newCondition();

    // Guarded by the lock.
    private final Deque<KernelReplies> idle = new ArrayDeque<>();
    private int made;
    private int most;

    /**
     * Allocates the first buffer at once, so that no thread can wait for a buffer that never comes.
     *
     * @param most the maximum number of buffers, at least 1
     * @param maker allocates a buffer, or throws an {@link OutOfMemoryError}
     */
    AnswerPool(int most, Supplier<KernelReplies> maker) {
        this.most = most;
        this.maker = maker;
        idle.push(maker.get());
        made = 1;
    }

    /**
     * Takes a buffer, which the caller gives back later. Blocks if there is no memory for another
     * one.
     */
    KernelReplies take() {
        lock.lock();
        try {
            while (idle.isEmpty()) {
                KernelReplies another = made < most ? make() : null;
                if (another != null) {
                    return another;
                }
                givenBack.awaitUninterruptibly();
            }
            return idle.pop();
        } finally {
            lock.unlock();
        }
    }

    private @Nullable KernelReplies make() {
        try {
            KernelReplies another = maker.get();
            made++;
            return another;
        } catch (OutOfMemoryError e) {
            LOG.warn(
                    "Answering at most {} slow reads at once, because the JVM has no more memory "
                            + "outside the heap (-XX:MaxDirectMemorySize): {}",
                    made,
                    e.getMessage());
            most = made;
            return null;
        }
    }

    void giveBack(KernelReplies answers) {
        lock.lock();
        try {
            idle.push(answers);
            givenBack.signal();
        } finally {
            lock.unlock();
        }
    }
}
