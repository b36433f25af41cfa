package dev.forebay.fuse.read;

import dev.forebay.model.ErrorCode;
import dev.forebay.model.ForebayException;
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
 * Pieces of packs in memory outside the heap, the least recently used one making room.
 *
 * <p>Memory is a fixed number of slabs of one piece each, allocated when first needed and never
 * given back; a piece that somebody copies from or fills is not evicted. A piece is loaded once
 * however many ask for it, unless that takes too long: then who waits loads it anew, for it may be
 * that it never comes. Safe for use by many threads.
 */
final class PieceCache {

    private static final Logger LOG = LoggerFactory.getLogger(PieceCache.class);

    /** How long a read waits for a slab when all are being filled or copied from. */
    private static final long PATIENCE_SECONDS = 30;

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
     * @param loading how long one who waits lets another load a piece, before he does it himself
     * @param wasted told that a piece was dropped that nobody has read; must not call this object
     */
    PieceCache(long bytes, Duration loading, Runnable wasted) {
        this(bytes, loading, wasted, () -> ByteBuffer.allocateDirect(PieceKey.BYTES));
    }

    /**
     * @param slabs makes room for a piece, or throws an {@link OutOfMemoryError}
     */
    PieceCache(long bytes, Duration loading, Runnable wasted, Supplier<ByteBuffer> slabs) {
        this.loading = loading;
        this.wasted = wasted;
        this.slabs = slabs;
        this.limit = Math.toIntExact(Math.max(4, bytes / PieceKey.BYTES));
    }

    /** How many bytes of memory are in use. */
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

    /** Whether a piece can be read without waiting for it. */
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
     * Shows a piece to {@code reader}, filling it first if nobody has.
     *
     * @param loader fills an empty slab from its position on; not called if the piece is here
     * @param reader gets the loaded bytes, to be used only within the call
     * @return whether the piece was here or being loaded already
     * @throws ForebayException as the loader threw, to all who wait for the piece
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

    /** Who asks from now on loads it anew. Its slab is used again when its loader has ended. */
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

    /** Fills a piece for later, unless it is here or there is no room at once. */
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
        try {
            loader.accept(piece.slab);
            piece.bytes.complete(piece.slab.flip().asReadOnlyBuffer());
        } catch (RuntimeException | Error e) {
            piece.bytes.completeExceptionally(e);
        }
    }

    private Optional<Use> acquire(PieceKey key, boolean wait) {
        lock.lock();
        try {
            long patience = TimeUnit.SECONDS.toNanos(PATIENCE_SECONDS);
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
                if (patience <= 0) {
                    throw new ForebayException(
                            ErrorCode.UNAVAILABLE,
                            "all %d pieces of memory are in use".formatted(limit));
                }
                patience = slabFreed.awaitNanos(patience);
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

    /** The JVM's limit of memory outside the heap is lower than what was asked for. */
    private void doWithout(OutOfMemoryError e) {
        if (allocated == 0) {
            throw new ForebayException(
                    ErrorCode.UNAVAILABLE,
                    "no memory outside the heap for a single piece (-XX:MaxDirectMemorySize)",
                    e);
        }
        LOG.warn(
                "Memory for pieces of packs stays at {} MiB instead of {} MiB, for the JVM gives no"
                        + " more (-XX:MaxDirectMemorySize): {}",
                allocated,
                limit,
                e.getMessage());
        limit = allocated;
    }

    private void release(PieceKey key, Piece piece) {
        lock.lock();
        try {
            if (piece.cached && piece.bytes.isCompletedExceptionally()) {
                // The next one to ask tries anew.
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
