package dev.forebay.fuse.nodecache;

import dev.forebay.linux.DiskFile;
import dev.forebay.linux.ErrorNumber;
import dev.forebay.linux.SystemCallException;
import dev.forebay.model.Digest;
import java.io.IOException;
import java.time.Duration;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;

/**
 * Who relies on what is here of a pack, and how often it was lost all the same.
 *
 * <p>Who gives something up counts the loss first and looks at the holds afterwards; who holds
 * looks at the losses after it has begun to. So of the two at least one sees the other, without a
 * lock. Safe for use by many threads.
 */
final class PackHolds {

    /** How long not to ask again who has the file open. */
    private static final long OPEN_NANOS = Duration.ofSeconds(5).toNanos();

    private final DiskFile data;
    private final AtomicInteger holds = new AtomicInteger();
    private final Map<Digest, Integer> holders = new ConcurrentHashMap<>();
    private final AtomicLong losses;
    private final FoundWrong foundWrong;

    /** Until when it is taken for granted that somebody else has the file open. */
    private volatile long openUntil = System.nanoTime();

    /**
     * @param data the pack's file
     */
    PackHolds(DiskFile data, FoundWrong foundWrong) {
        this.data = data;
        this.foundWrong = foundWrong;
        this.losses = new AtomicLong(foundWrong.times());
    }

    /** From now on until {@link #release} nothing that a version has here is given up. */
    void hold(Digest manifest) {
        holders.merge(manifest, 1, Integer::sum);
        holds.incrementAndGet();
    }

    void release(Digest manifest) {
        holds.decrementAndGet();
        holders.computeIfPresent(manifest, (_, count) -> count == 1 ? null : count - 1);
    }

    /** Whether it is known that nothing may be given up. Asks nobody. */
    boolean isHeld() {
        return holds.get() > 0 || System.nanoTime() - openUntil < 0;
    }

    /** Whether nobody holds the pack but for these versions. */
    boolean areOnlyOf(Set<Digest> versions) {
        return versions.containsAll(holders.keySet());
    }

    /** Whether nothing may be given up. */
    boolean isInUse() {
        return isHeld() || isOpen();
    }

    /** Whether anybody else has the file open: then it may be read without our being asked. */
    boolean isOpen() {
        try {
            if (data.isOpenElsewhere()) {
                openUntil = System.nanoTime() + OPEN_NANOS;
                return true;
            }
            return false;
        } catch (SystemCallException e) {
            // Where nobody can ever tell, nobody is given such a file to read.
            return e.errno() != ErrorNumber.EINVAL && e.errno() != ErrorNumber.EACCES;
        }
    }

    /** Counts a loss that is about to happen, unless something is in use: then it must not. */
    boolean loseIfUnused() {
        losses.incrementAndGet();
        // The holds are looked at before who has the file open, for until it is open it is held.
        if (isInUse()) {
            losses.decrementAndGet();
            return false;
        }
        return true;
    }

    /** Says that something was found wrong, before it is dropped. */
    void lost() throws IOException {
        losses.incrementAndGet();
        foundWrong.add();
    }

    /** How often something that was here was given up or found wrong. */
    long losses() {
        return losses.get();
    }

    FoundWrong foundWrong() {
        return foundWrong;
    }
}
