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
import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.Semaphore;

/**
 * Reads files through pieces of their packs, in memory and ahead of time.
 *
 * <p>Sequential reading fetches whole pieces and prefetches as {@link Streams} advises. A read
 * somewhere in the middle of a large file fetches just its bytes. Where a piece cannot be had
 * because an object in it has changed in the lake, files are read by exactly their own bytes, so
 * that one changed object does not take its neighbours with it.
 *
 * <p>What the node has on its disk is read from there straight into the target, and ahead of time
 * into the page cache only. Safe for use by many threads.
 */
public final class PackReader implements FileBytes, PackBytes, AutoCloseable {

    /** How long not to try a piece again in which an object has changed. */
    private static final Duration SPLIT_MEMORY = Duration.ofMinutes(1);

    private static final int MAX_SPLIT = 10_000;

    /** Without a disk that keeps what comes, to bring it ends by itself. */
    private static final Duration AS_LONG_AS_IT_TAKES = Duration.ofNanos(Long.MAX_VALUE);

    private final PackSource source;
    private final Optional<NodeBytes> node;
    private final PieceCache cache;
    private final Streams streams;
    private final Semaphore prefetches;
    private final ReadMeter meter;
    private final boolean strict;

    /**
     * Not virtual: what comes is stored on the node's disk by calls that hold a carrier, and if the
     * disk hangs nothing that needs one would go on. As many as may prefetch at once.
     */
    private final ExecutorService executor =
            Executors.newCachedThreadPool(
                    Thread.ofPlatform().daemon().name("prefetch-", 0).factory());

    private final Cache<PieceKey, Boolean> split =
            Caffeine.newBuilder().maximumSize(MAX_SPLIT).expireAfterWrite(SPLIT_MEMORY).build();

    /**
     * @param node what of the source is on this node, if that can be known
     */
    public PackReader(
            PackSource source, Optional<NodeBytes> node, PackReaderConfig config, ReadMeter meter) {
        this.source = source;
        this.node = node;
        this.streams = new Streams(Math.min(config.maxWindowBytes(), config.memoryBytes() / 4));
        this.cache =
                new PieceCache(
                        config.memoryBytes(),
                        node.map(NodeBytes::patience).orElse(AS_LONG_AS_IT_TAKES),
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
        // Here, and not where bytes are fetched: what is in memory is read without the source.
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
            // What is on this node does not wait for what comes of the piece from elsewhere.
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

    /** How many bytes of memory are in use. */
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
            } else if (!cache.contains(piece)
                    && split.getIfPresent(piece) == null
                    && prefetches.tryAcquire()) {
                prefetch(piece, pack);
            }
            at = until;
        }
    }

    private void prefetch(PieceKey piece, Pack pack) {
        try {
            executor.execute(
                    () -> {
                        try {
                            cache.prefetch(piece, slab -> load(piece, pack.bytes(), slab));
                        } finally {
                            prefetches.release();
                        }
                    });
        } catch (RejectedExecutionException | OutOfMemoryError noThread) {
            // Whoever comes to the piece reads it himself.
            prefetches.release();
        }
    }

    @Override
    public void close() {
        executor.shutdownNow();
    }
}
