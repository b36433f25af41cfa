package dev.forebay.agent.fill;

import dev.forebay.manifest.ChunkRef;
import dev.forebay.manifest.Manifest;
import dev.forebay.manifest.Segment;
import dev.forebay.model.ErrorCode;
import dev.forebay.model.ForebayException;
import dev.forebay.thread.ParallelCalls;
import dev.forebay.transfer.FillAnswer;
import dev.forebay.workflows.activity.RegionActivities.WarmProgress;
import dev.forebay.workflows.activity.RegionActivities.WarmResult;
import java.util.Iterator;
import java.util.List;
import java.util.stream.LongStream;

/**
 * Fills a range of a version's chunks, a bounded number at once. The first failure ends it. Chunks
 * finished before still count.
 */
public final class RangeFill {

    private static final int PAGE = 256;

    private final Manifest manifest;
    private final OwnerChunkFill fill;
    private final FillRate rate;
    private final int concurrency;

    public RangeFill(Manifest manifest, OwnerChunkFill fill, FillRate rate, int concurrency) {
        this.manifest = manifest;
        this.fill = fill;
        this.rate = rate;
        this.concurrency = concurrency;
    }

    /**
     * Fills chunks {@code [from, to)}, and returns when all are complete.
     *
     * @param cursor where to begin, and where to record finished chunks
     * @throws ForebayException the first failure of a chunk; {@code UNAVAILABLE} when interrupted;
     *     all work has ended then
     */
    public WarmResult run(RangeCursor cursor, long from, long to) {
        Iterator<ChunkRef> chunks =
                LongStream.iterate(cursor.progress().next(), next -> next < to, next -> next + PAGE)
                        .boxed()
                        .flatMap(next -> page(next, to).stream())
                        .iterator();
        ParallelCalls.forEach(chunks, concurrency, chunk -> one(cursor, chunk));
        WarmProgress done = cursor.progress();
        return new WarmResult(liveBytes(from, to), done.bytesFromLake(), done.objects());
    }

    private void one(RangeCursor cursor, ChunkRef chunk) {
        long fetched = 0;
        long requests = 0;
        rate.begun();
        try {
            FillAnswer answer = fill.fill(chunk);
            List<Segment> segments = manifest.segments(chunk.chunk());
            fetched = answer.bytesFromLake() + answer.bytesFromPeers() + answer.bytesFromSiblings();
            requests = fetched == 0 ? 0 : segments.size();
            cursor.finished(
                    chunk.ordinal(),
                    answer.bytesFromLake(),
                    chunk.liveBytes(),
                    objects(chunk, segments));
        } finally {
            rate.ended(fetched, requests);
        }
    }

    /**
     * Returns the number of files whose last byte is in the chunk. Each file has one such chunk.
     */
    private static long objects(ChunkRef chunk, List<Segment> segments) {
        long to = chunk.chunk().start() + chunk.length();
        return segments.stream()
                .filter(segment -> segment.packOffset() + segment.size() <= to)
                .count();
    }

    private long liveBytes(long from, long to) {
        long sum = 0;
        for (long next = from; next < to; next += PAGE) {
            for (ChunkRef chunk : page(next, to)) {
                sum += chunk.liveBytes();
            }
        }
        return sum;
    }

    private List<ChunkRef> page(long from, long to) {
        List<ChunkRef> page = manifest.chunks(from, (int) Math.min(PAGE, to - from));
        if (page.isEmpty()) {
            throw new ForebayException(
                    ErrorCode.INTERNAL,
                    "the manifest has no chunk %d, but the request needs %d chunks"
                            .formatted(from, to));
        }
        return page;
    }
}
