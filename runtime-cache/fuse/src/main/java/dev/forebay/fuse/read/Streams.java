package dev.forebay.fuse.read;

import dev.forebay.model.PackId;
import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.Map;

/**
 * Detects sequential reads in the address space of packs, and therefore across files. A program
 * that reads files in the order of their names reads a pack from start to end.
 *
 * <p>A read continues a stream if it begins near the stream's position. An exact match would fail,
 * because several threads and the kernel's read-ahead ask out of order. Near means within a few
 * reads, and within one megabyte after one megabyte was read. With every further megabyte, the
 * window of a stream doubles, from one piece to the maximum. When a piece is evicted before it was
 * read, all windows are halved.
 *
 * <p>Streams that begin at equal distances in a pack are strided reads. The next beginning is read
 * ahead, as far as the last stream has read, unless that is a small part of a piece. Random reads
 * cause no read-ahead. Thread-safe.
 */
final class Streams {

    private static final int MAX_STREAMS = 64;
    private static final long TOLERANCE = PieceKey.BYTES;

    /**
     * The distance, in reads, that a young stream tolerates. With more, random reads would often
     * look sequential.
     */
    private static final int READS_OUT_OF_ORDER = 4;

    /** The number of repetitions that make a distance a stride. */
    private static final int REPEATS = 2;

    /**
     * Whole pieces are fetched, so read-ahead for strides of smaller reads would cost more than it
     * saves.
     */
    private static final long LEAST_STRIDED_BYTES = PieceKey.BYTES / 8;

    /** Whether a read continues a stream, and the range to read ahead. */
    record Advice(boolean sequential, long prefetchFrom, long prefetchTo) {}

    private static final Advice NOTHING = new Advice(false, 0, 0);

    private static final class Stream {
        final PackId pack;
        final long start;
        long reached;
        long window;
        long growAt;
        long prefetched;

        Stream(PackId pack, long from, long to) {
            this.pack = pack;
            this.start = from;
            this.reached = to;
            this.growAt = to;
            this.prefetched = from;
        }

        boolean isNear(long from, long to) {
            boolean grown = reached - start >= TOLERANCE;
            long tolerance =
                    grown ? TOLERANCE : Math.min(TOLERANCE, READS_OUT_OF_ORDER * (to - from));
            return Math.abs(from - reached) <= tolerance;
        }
    }

    /**
     * The stream of a pack that began last, and how often the same distance between beginnings
     * occurred.
     */
    private record Beginning(Stream stream, long stride, int repeats) {}

    private final long maxWindow;
    private final Map<PackId, Beginning> beginnings = new LinkedHashMap<>(16, 0.75f, true);
    private final Map<Object, Stream> streams = new LinkedHashMap<>(16, 0.75f, true);

    Streams(long maxWindow) {
        this.maxWindow = maxWindow;
    }

    /** Records a read of bytes {@code [from, to)} of a pack, and returns the advice for it. */
    synchronized Advice note(PackId pack, long from, long to) {
        for (Map.Entry<Object, Stream> entry : streams.entrySet()) {
            Stream stream = entry.getValue();
            if (stream.pack.equals(pack) && stream.isNear(from, to)) {
                streams.get(entry.getKey());
                return advance(stream, to);
            }
        }
        if (streams.size() >= MAX_STREAMS) {
            Iterator<?> eldest = streams.keySet().iterator();
            eldest.next();
            eldest.remove();
        }
        Stream begun = new Stream(pack, from, to);
        streams.put(new Object(), begun);
        return begin(begun);
    }

    private Advice begin(Stream begun) {
        Beginning last = beginnings.get(begun.pack);
        if (last == null) {
            if (beginnings.size() >= MAX_STREAMS) {
                Iterator<?> eldest = beginnings.keySet().iterator();
                eldest.next();
                eldest.remove();
            }
            beginnings.put(begun.pack, new Beginning(begun, 0, 0));
            return NOTHING;
        }
        long stride = begun.start - last.stream.start;
        int repeats = stride == last.stride ? last.repeats + 1 : 0;
        beginnings.put(begun.pack, new Beginning(begun, stride, repeats));
        long length = last.stream.reached - last.stream.start;
        long next = begun.start + stride;
        return repeats < REPEATS || length < LEAST_STRIDED_BYTES || next < 0
                ? NOTHING
                : new Advice(false, next, next + Math.min(length, maxWindow));
    }

    /** Halves all windows, because a piece was evicted before it was read. */
    synchronized void shrink() {
        for (Stream stream : streams.values()) {
            stream.window = Math.max(PieceKey.BYTES, stream.window / 2);
            // Growth pauses, or the window would oscillate.
            stream.growAt = stream.reached + maxWindow;
        }
    }

    private Advice advance(Stream stream, long to) {
        stream.reached = Math.max(stream.reached, to);
        if (stream.reached >= stream.growAt && stream.window < maxWindow) {
            stream.window = Math.min(maxWindow, Math.max(PieceKey.BYTES, stream.window * 2));
            stream.growAt = stream.reached + PieceKey.BYTES;
        }
        long from = Math.max(stream.prefetched, to);
        long target = stream.reached + stream.window;
        stream.prefetched = Math.max(stream.prefetched, target);
        return new Advice(true, from, target);
    }
}
