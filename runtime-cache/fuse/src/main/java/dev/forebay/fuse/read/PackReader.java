package dev.forebay.fuse.read;

import com.github.benmanes.caffeine.cache.Cache;
import com.github.benmanes.caffeine.cache.Caffeine;
import dev.forebay.fuse.fs.FileBytes;
import dev.forebay.fuse.fs.PackBytes;
import dev.forebay.fuse.read.Streams.Advice;
import dev.forebay.manifest.Node;
import dev.forebay.manifest.Pack;
import dev.forebay.model.Digest;
import dev.forebay.model.ForebayException;
import dev.forebay.model.PackId;
import dev.forebay.thread.ThreadStart;
import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Semaphore;

/**
 * Reads files through pieces of their packs, in memory, with read-ahead.
 *
 * <p>Sequential reads fetch whole pieces and read ahead as {@link Streams} advises. A random read
 * inside a large file fetches only its own bytes. If a piece cannot be read because an object in it
 * has changed in the lake, files are read by exactly their own bytes. A changed object then fails
 * only its own file.
 *
 * <p>Bytes on the node's disk are read directly into the target, and ahead of time into the page
 * cache only. Thread-safe.
 */
public final class PackReader implements FileBytes, PackBytes, AutoCloseable {

    /** The time for which a piece with a changed object is not tried again. */
    private static final Duration SPLIT_MEMORY = Duration.ofMinutes(1);

    private static final int MAX_SPLIT = 10_000;

    /** Without a disk cache, each load has its own timeout. */
    private static final Duration NO_TIMEOUT = Duration.ofNanos(Long.MAX_VALUE);

    private final PackSource source;
    private final Optional<NodeBytes> node;
    private final PieceCache cache;
    private final Streams streams;
    private final Semaphore prefetches;
    private final ReadMeter meter;
    private final boolean strict;

    /**
     * Platform threads: fetched bytes are written to the node's disk by calls that block a carrier.
     * A hanging disk would then stop all virtual threads. The semaphore bounds their number.
     */
    private final ExecutorService executor =
            Executors.newCachedThreadPool(
                    Thread.ofPlatform().daemon().name("prefetch-", 0).factory());

    private final Cache<PieceKey, Boolean> split =
            Caffeine.newBuilder().maximumSize(MAX_SPLIT).expireAfterWrite(SPLIT_MEMORY).build();

    /**
     * @param node the part of the source that is on this node, if known
     */
    public PackReader(
            PackSource source, Optional<NodeBytes> node, PackReaderConfig config, ReadMeter meter) {
        this.source = source;
        this.node = node;
        this.streams = new Streams(Math.min(config.maxWindowBytes(), config.memoryBytes() / 4));
        this.cache =
                new PieceCache(
                        config.memoryBytes(),
                        node.map(NodeBytes::timeout).orElse(NO_TIMEOUT),
                        streams::shrink);
        this.prefetches = new Semaphore(config.maxPrefetches());
        this.meter = meter;
        this.strict = config.strict();
    }

    @Override
    public void read(
            Digest manifest, long packBytes, Node.File file, long offset, ByteBuffer target) {
        boolean middle = offset > 0 && file.size() > PieceKey.BYTES;
        read(
                manifest,
                new Pack(file.pack(), packBytes),
                file.packOffset() + offset,
                target,
                middle);
    }

    @Override
    public void read(Digest manifest, Pack pack, long from, ByteBuffer target) {
        read(manifest, pack, from, target, true);
    }

    @Override
    public boolean areHere(Digest manifest, Node.File file, long offset, int length) {
        long from = file.packOffset() + offset;
        return areHere(manifest, file.pack(), from, from + length);
    }

    @Override
    public boolean areHere(Digest manifest, Pack pack, long from, long to) {
        return areHere(manifest, pack.id(), from, to);
    }

    private boolean areHere(Digest manifest, PackId pack, long from, long to) {
        for (long at = from; at < to; ) {
            PieceKey piece = PieceKey.at(manifest, pack, at);
            long until = Math.min(to, piece.start() + PieceKey.BYTES);
            if (!isHere(piece, at, until) && (strict || !cache.isLoaded(piece))) {
                return false;
            }
            at = until;
        }
        return true;
    }

    private void read(
            Digest manifest, Pack pack, long offset, ByteBuffer target, boolean maybeScattered) {
        // Here and not in the source, because reads from memory never reach the source.
        node.ifPresent(here -> here.use(manifest));
        long from = offset;
        long to = from + target.remaining();
        if (strict) {
            source.read(manifest, pack.id(), from, to, target);
            return;
        }
        Advice advice = streams.note(pack.id(), from, to);
        boolean scattered = maybeScattered && !advice.sequential();
        prefetch(manifest, pack, advice);
        while (from < to) {
            PieceKey piece = PieceKey.at(manifest, pack.id(), from);
            long until = Math.min(to, piece.end(pack.bytes()));
            ByteBuffer part = target.slice(target.position(), (int) (until - from));
            // Bytes on this node need not wait for the rest of their piece.
            boolean past =
                    isHere(piece, from, until)
                            ? !cache.isLoaded(piece)
                            : scattered && !cache.contains(piece);
            if (past) {
                source.read(manifest, pack.id(), from, until, part);
            } else {
                readPiece(piece, pack.bytes(), from, part);
            }
            target.position(target.position() + (int) (until - from));
            from = until;
        }
    }

    /** Returns the number of bytes of memory in use. */
    public long memoryBytes() {
        return cache.allocatedBytes();
    }

    private boolean isHere(PieceKey piece, long from, long to) {
        return node.isPresent() && node.get().has(piece.manifest(), piece.pack(), from, to);
    }

    private void readPiece(PieceKey piece, long packBytes, long from, ByteBuffer target) {
        if (split.getIfPresent(piece) == null) {
            try {
                int at = (int) (from - piece.start());
                boolean hit =
                        cache.read(
                                piece,
                                slab -> load(piece, packBytes, slab),
                                bytes -> target.put(bytes.slice(at, target.remaining())));
                meter.pieceRead(hit);
                return;
            } catch (ForebayException e) {
                if (!e.code().mayBeOfOneObject()) {
                    throw e;
                }
                split.put(piece, true);
            }
        }
        source.read(piece.manifest(), piece.pack(), from, from + target.remaining(), target);
    }

    private void load(PieceKey piece, long packBytes, ByteBuffer slab) {
        source.read(piece.manifest(), piece.pack(), piece.start(), piece.end(packBytes), slab);
    }

    private void prefetch(Digest manifest, Pack pack, Advice advice) {
        long to = Math.min(advice.prefetchTo(), pack.bytes());
        for (long at = advice.prefetchFrom(); at < to; ) {
            PieceKey piece = PieceKey.at(manifest, pack.id(), at);
            long until = Math.min(to, piece.end(pack.bytes()));
            if (isHere(piece, at, until)) {
                node.orElseThrow().willRead(pack.id(), at, until);
            } else if (!cache.contains(piece) && split.getIfPresent(piece) == null) {
                prefetch(piece, pack);
            }
            at = until;
        }
    }

    private void prefetch(PieceKey piece, Pack pack) {
        Runnable prefetch =
                () -> {
                    try {
                        cache.prefetch(piece, slab -> load(piece, pack.bytes(), slab));
                    } finally {
                        prefetches.release();
                    }
                };
        Runnable start = () -> executor.execute(prefetch);
        if (prefetches.tryAcquire() && !ThreadStart.attempt(start)) {
            // The read that needs the piece loads it itself.
            prefetches.release();
        }
    }

    @Override
    public void close() {
        executor.shutdownNow();
    }
}
