package dev.forebay.fuse.read;

import dev.forebay.model.ErrorCode;
import dev.forebay.model.ForebayException;
import dev.forebay.thread.CatchAll;
import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.Consumer;
import java.util.function.Supplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * An LRU cache of pieces of packs, in memory outside the heap.
 *
 * <p>Memory is a fixed number of slabs of one piece each, allocated on first use and never freed. A
 * piece that is being filled or copied is not evicted. A piece is loaded once for all readers. If a
 * load exceeds its timeout, it may never finish, so a waiting reader starts another one.
 * Thread-safe.
 */
final class PieceCache {

    private static final Logger LOG = LoggerFactory.getLogger(PieceCache.class);

    /** The timeout of a read that waits for a slab while all are in use. */
    private static final long TIMEOUT_SECONDS = 30;

    private static final class Piece {
        final ByteBuffer slab;
        final CompletableFuture<ByteBuffer> bytes = new CompletableFuture<>();
        int users;
        boolean wanted;
        boolean cached = true;

        Piece(ByteBuffer slab) {
            this.slab = slab;
        }
    }

    private final Supplier<ByteBuffer> slabs;
    private final Duration loading;
    private final Runnable wasted;
    private final ReentrantLock lock = new ReentrantLock();
    private final Condition slabFreed = lock.newCondition();

    // Guarded by the lock; the map is in order of use.
    private final Map<PieceKey, Piece> pieces = new LinkedHashMap<>(16, 0.75f, true);
    private final Deque<ByteBuffer> free = new ArrayDeque<>();
    private int allocated;
    private int limit;

    /**
     * @param bytes the memory to use, rounded down to whole pieces, at least 4
     * @param loading the time that a reader waits for another reader's load before it loads the
     *     piece itself
     * @param wasted runs when a piece is evicted that was never read; must not call this object
     */
    PieceCache(long bytes, Duration loading, Runnable wasted) {
        this(bytes, loading, wasted, () -> ByteBuffer.allocateDirect(PieceKey.BYTES));
    }

    /**
     * @param slabs allocates the memory of a piece, or throws an {@link OutOfMemoryError}
     */
    PieceCache(long bytes, Duration loading, Runnable wasted, Supplier<ByteBuffer> slabs) {
        this.loading = loading;
        this.wasted = wasted;
        this.slabs = slabs;
        this.limit = Math.toIntExact(Math.max(4, bytes / PieceKey.BYTES));
    }

    /** Returns the number of bytes of allocated memory. */
    long allocatedBytes() {
        lock.lock();
        try {
            return (long) allocated * PieceKey.BYTES;
        } finally {
            lock.unlock();
        }
    }

    boolean contains(PieceKey key) {
        lock.lock();
        try {
            return pieces.containsKey(key);
        } finally {
            lock.unlock();
        }
    }

    /** Returns whether a piece can be read without waiting. */
    boolean isLoaded(PieceKey key) {
        lock.lock();
        try {
            Piece piece = pieces.get(key);
            return piece != null && piece.bytes.isDone();
        } finally {
            lock.unlock();
        }
    }

    /**
     * Passes a piece to {@code reader}, and loads it first if it is missing.
     *
     * @param loader fills an empty slab from its position; not called if the piece is cached
     * @param reader receives the loaded bytes, which are valid only during the call
     * @return whether the piece was cached or already being loaded
     * @throws ForebayException the failure of the loader, for all readers that wait for the piece
     */
    boolean read(PieceKey key, Consumer<ByteBuffer> loader, Consumer<ByteBuffer> reader) {
        while (true) {
            Use use = acquire(key, true).orElseThrow();
            try {
                if (use.first) {
                    load(use.piece, loader);
                }
                reader.accept(await(use.piece).duplicate());
                return !use.first;
            } catch (TimeoutException hangs) {
                giveUp(key, use.piece);
            } finally {
                release(key, use.piece);
            }
        }
    }

    private ByteBuffer await(Piece piece) throws TimeoutException {
        try {
            return piece.bytes.get(loading.toNanos(), TimeUnit.NANOSECONDS);
        } catch (ExecutionException e) {
            throw e.getCause() instanceof ForebayException failure
                    ? new ForebayException(
                            failure.code(), String.valueOf(failure.getMessage()), failure)
                    : new IllegalStateException(e.getCause());
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new ForebayException(ErrorCode.UNAVAILABLE, "interrupted", e);
        }
    }

    /** Makes later readers load the piece again. Its slab is reused when its loader has ended. */
    private void giveUp(PieceKey key, Piece piece) {
        lock.lock();
        try {
            if (piece.cached && !piece.bytes.isDone()) {
                forget(key, piece);
            }
        } finally {
            lock.unlock();
        }
    }

    private void forget(PieceKey key, Piece piece) {
        pieces.remove(key);
        piece.cached = false;
    }

    /** Loads a piece for later unless it is cached or no slab is free. */
    void prefetch(PieceKey key, Consumer<ByteBuffer> loader) {
        if (contains(key)) {
            return;
        }
        acquire(key, false)
                .ifPresent(
                        use -> {
                            try {
                                if (use.first) {
                                    load(use.piece, loader);
                                }
                            } finally {
                                release(key, use.piece);
                            }
                        });
    }

    private record Use(Piece piece, boolean first) {}

    private static void load(Piece piece, Consumer<ByteBuffer> loader) {
        CatchAll.complete(
                piece.bytes,
                () -> {
                    loader.accept(piece.slab);
                    return piece.slab.flip().asReadOnlyBuffer();
                });
    }

    private Optional<Use> acquire(PieceKey key, boolean wait) {
        lock.lock();
        try {
            long timeout = TimeUnit.SECONDS.toNanos(TIMEOUT_SECONDS);
            while (true) {
                Piece there = pieces.get(key);
                if (there != null) {
                    there.users++;
                    there.wanted |= wait;
                    return Optional.of(new Use(there, false));
                }
                Optional<ByteBuffer> slab = takeSlab();
                if (slab.isPresent()) {
                    Piece made = new Piece(slab.get().clear());
                    made.users = 1;
                    made.wanted = wait;
                    pieces.put(key, made);
                    return Optional.of(new Use(made, true));
                }
                if (!wait) {
                    return Optional.empty();
                }
                if (timeout <= 0) {
                    throw new ForebayException(
                            ErrorCode.UNAVAILABLE,
                            "other reads use all %d pieces of memory: retry, or raise --memory-cache"
                                    .formatted(limit));
                }
                timeout = slabFreed.awaitNanos(timeout);
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new ForebayException(ErrorCode.UNAVAILABLE, "interrupted", e);
        } finally {
            lock.unlock();
        }
    }

    private Optional<ByteBuffer> takeSlab() {
        if (!free.isEmpty()) {
            return Optional.of(free.pop());
        }
        if (allocated < limit) {
            try {
                ByteBuffer slab = slabs.get();
                allocated++;
                return Optional.of(slab);
            } catch (OutOfMemoryError e) {
                doWithout(e);
            }
        }
        Iterator<Piece> eldest = pieces.values().iterator();
        while (eldest.hasNext()) {
            Piece piece = eldest.next();
            if (piece.users == 0) {
                eldest.remove();
                piece.cached = false;
                if (!piece.wanted) {
                    wasted.run();
                }
                return Optional.of(piece.slab);
            }
        }
        return Optional.empty();
    }

    /** Lowers the limit: the JVM permits less memory outside the heap than configured. */
    private void doWithout(OutOfMemoryError e) {
        if (allocated == 0) {
            throw new ForebayException(
                    ErrorCode.UNAVAILABLE,
                    "no memory outside the heap for a single piece: raise -XX:MaxDirectMemorySize",
                    e);
        }
        LOG.warn(
                "Memory for pieces of packs stays at {} MiB instead of {} MiB, because the JVM "
                        + "allows no more (-XX:MaxDirectMemorySize): {}",
                allocated,
                limit,
                e.getMessage());
        limit = allocated;
    }

    private void release(PieceKey key, Piece piece) {
        lock.lock();
        try {
            if (piece.cached && piece.bytes.isCompletedExceptionally()) {
                // The next reader loads it again.
                forget(key, piece);
            }
            piece.users--;
            if (piece.users == 0) {
                if (!piece.cached) {
                    free.push(piece.slab);
                }
                slabFreed.signal();
            }
        } finally {
            lock.unlock();
        }
    }
}
