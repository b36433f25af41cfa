package dev.forebay.fuse.read;

import dev.forebay.model.PackId;
import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.Map;

/**
 * Recognises sequential reading in the address space of packs, so across files: who reads files in
 * the order of their names reads a pack from front to back.
 *
 * <p>A read continues a stream if it begins near where the stream has got to; near, because several
 * threads and the kernel's own readahead ask out of order. With every further megabyte a stream's
 * window doubles, from one piece to the greatest window. Thread-safe.
 */
final class Streams {

    private static final int MAX_STREAMS = 64;
    private static final long TOLERANCE = PieceKey.BYTES;

    /** What to do about a read. */
    record Advice(boolean sequential, long prefetchFrom, long prefetchTo) {}

    private static final class Stream {
        final PackId pack;
        long reached;
        long window;
        long growAt;
        long prefetched;

        Stream(PackId pack, long from, long to) {
            this.pack = pack;
            this.reached = to;
            this.growAt = to;
            this.prefetched = from;
        }
    }

    private final long maxWindow;
    private final Map<Object, Stream> streams = new LinkedHashMap<>(16, 0.75f, true);

    Streams(long maxWindow) {
        this.maxWindow = maxWindow;
    }

    /** Notes that bytes {@code [from, to)} of a pack are being read. */
    synchronized Advice note(PackId pack, long from, long to) {
        for (Map.Entry<Object, Stream> entry : streams.entrySet()) {
            Stream stream = entry.getValue();
            if (stream.pack.equals(pack) && Math.abs(from - stream.reached) <= TOLERANCE) {
                streams.get(entry.getKey());
                return advance(stream, to);
            }
        }
        if (streams.size() >= MAX_STREAMS) {
            Iterator<?> eldest = streams.keySet().iterator();
            eldest.next();
            eldest.remove();
        }
        streams.put(new Object(), new Stream(pack, from, to));
        return new Advice(false, 0, 0);
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
