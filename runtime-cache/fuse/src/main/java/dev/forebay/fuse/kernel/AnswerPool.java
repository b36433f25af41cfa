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
 * Memory for answers that many threads make by turns: as much as is asked for while the JVM gives
 * it, and then what others give back. Nothing of it is ever freed: that is worse than to keep it
 * (see {@link dev.forebay.fuse.linux.LockedMemory}). Safe for use by many threads.
 */
final class AnswerPool {

    private static final Logger LOG = LoggerFactory.getLogger(AnswerPool.class);

    private final Supplier<Answers> maker;
    private final ReentrantLock lock = new ReentrantLock();
    private final Condition givenBack = lock.newCondition();

    // Guarded by the lock.
    private final Deque<Answers> idle = new ArrayDeque<>();
    private int made;
    private int most;

    /**
     * Takes the first one at once, so that nobody ever waits in vain.
     *
     * @param most how many there may be at once, at least 1
     * @param maker makes one more, or throws an {@link OutOfMemoryError}
     */
    AnswerPool(int most, Supplier<Answers> maker) {
        this.most = most;
        this.maker = maker;
        idle.push(maker.get());
        made = 1;
    }

    /** One to be given back; waits for it if there is no memory for another. */
    Answers take() {
        lock.lock();
        try {
            while (idle.isEmpty()) {
                Answers another = made < most ? make() : null;
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

    private @Nullable Answers make() {
        try {
            Answers another = maker.get();
            made++;
            return another;
        } catch (OutOfMemoryError e) {
            LOG.warn(
                    "No more than {} slow reads are answered at once, for the JVM gives no more"
                            + " memory outside the heap (-XX:MaxDirectMemorySize): {}",
                    made,
                    e.getMessage());
            most = made;
            return null;
        }
    }

    void giveBack(Answers answers) {
        lock.lock();
        try {
            idle.push(answers);
            givenBack.signal();
        } finally {
            lock.unlock();
        }
    }
}
