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
 * Tracks which versions hold a pack, and how often its pages were lost all the same.
 *
 * <p>A remover counts the loss first and checks the holds afterwards. A holder registers first and
 * checks the losses afterwards. At least one of the two sees the other, without a lock.
 * Thread-safe.
 */
final class PackHolds {

    /** The time for which the answer "open elsewhere" is reused. */
    private static final long OPEN_NANOS = Duration.ofSeconds(5).toNanos();

    private final DiskFile data;
    private final AtomicInteger holds = new AtomicInteger();
    private final Map<Digest, Integer> holders = new ConcurrentHashMap<>();
    private final AtomicLong losses;
    private final DamageMark foundWrong;

    /** The time until which the file counts as open elsewhere. */
    private volatile long openUntil = System.nanoTime();

    /**
     * @param data the pack's file
     */
    PackHolds(DiskFile data, DamageMark foundWrong) {
        this.data = data;
        this.foundWrong = foundWrong;
        this.losses = new AtomicLong(foundWrong.times());
    }

    /** Protects all cached pages of a version from removal until {@link #release}. */
    void hold(Digest manifest) {
        holders.merge(manifest, 1, Integer::sum);
        holds.incrementAndGet();
    }

    void release(Digest manifest) {
        holds.decrementAndGet();
        holders.computeIfPresent(manifest, (_, count) -> count == 1 ? null : count - 1);
    }

    /** Returns whether removal is known to be forbidden, without a system call. */
    boolean isHeld() {
        return holds.get() > 0 || System.nanoTime() - openUntil < 0;
    }

    /** Returns whether only these versions hold the pack. */
    boolean areOnlyOf(Set<Digest> versions) {
        return versions.containsAll(holders.keySet());
    }

    /** Returns whether removal is forbidden. */
    boolean isInUse() {
        return isHeld() || isOpen();
    }

    /**
     * Returns whether another process or the kernel has the file open, and may read it directly.
     */
    boolean isOpen() {
        try {
            if (data.isOpenElsewhere()) {
                openUntil = System.nanoTime() + OPEN_NANOS;
                return true;
            }
            return false;
        } catch (SystemCallException e) {
            // Where openness cannot be determined, the file is never given out for direct reads.
            return e.errno() != ErrorNumber.EINVAL && e.errno() != ErrorNumber.EACCES;
        }
    }

    /**
     * Counts a loss in advance unless the pack is in use; returns false if it is, and removal is
     * forbidden.
     */
    boolean loseIfUnused() {
        losses.incrementAndGet();
        // Checks the holds before the openness, because a holder releases its hold only after the
        // kernel has opened the file.
        if (isInUse()) {
            losses.decrementAndGet();
            return false;
        }
        return true;
    }

    /** Records damage, before the damaged block is dropped. */
    void lost() throws IOException {
        losses.incrementAndGet();
        foundWrong.add();
    }

    /** Returns how often cached pages were removed or damaged. */
    long losses() {
        return losses.get();
    }

    DamageMark foundWrong() {
        return foundWrong;
    }
}
