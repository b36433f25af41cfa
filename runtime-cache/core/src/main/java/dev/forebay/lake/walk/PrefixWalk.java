package dev.forebay.lake.walk;

import dev.forebay.lake.LakeObject;
import dev.forebay.lake.Listing;
import dev.forebay.model.ErrorCode;
import dev.forebay.model.ForebayException;
import dev.forebay.thread.ParallelCalls;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.Consumer;
import java.util.function.LongConsumer;
import java.util.function.Predicate;
import java.util.stream.IntStream;

/**
 * Lists all objects below a prefix with several requests at once, spools them to disk, and then
 * passes them on in order.
 *
 * <p>The key space is divided during the listing, whenever a walker is idle. The distribution of
 * keys need not be known, and a flat folder is listed as fast as many folders. A prefix that fits
 * into one page costs one request. Memory holds one page for each request in flight.
 *
 * <p>If a walk ended early, because it failed or its process ended, the next walk over the same
 * folder continues it. No page that was kept is listed again.
 */
public final class PrefixWalk {

    private final Listing listing;
    private final String prefix;
    private final Predicate<String> wanted;
    private final Spool spool;

    /**
     * Creates a walk.
     *
     * @param listing of {@code prefix}
     * @param prefix the prefix of all keys
     * @param wanted selects the keys to keep
     * @param folder an existing folder that only this walk uses; it takes about 150 bytes for each
     *     object
     * @param what identifies the listing; the content of a folder with another value is discarded
     * @throws ForebayException with {@code CAPACITY_EXCEEDED} if the folder cannot be written; this
     *     applies to all methods
     */
    public PrefixWalk(
            Listing listing, String prefix, Predicate<String> wanted, Path folder, String what) {
        this.listing = listing;
        this.prefix = prefix;
        this.wanted = wanted;
        this.spool = Spool.open(folder, what);
    }

    /**
     * Lists everything that is not listed yet, and returns when the listing is complete.
     *
     * @param requests how many requests to send at once, at least 1
     * @param progress receives the number of objects kept so far, including those of earlier
     *     attempts; called by any thread
     * @throws ForebayException the first failure, after all other walkers have stopped
     */
    public void list(int requests, LongConsumer progress) {
        AtomicLong kept = new AtomicLong();
        spool.forEach(object -> kept.incrementAndGet());
        progress.accept(kept.get());
        try (Spool.Division division = spool.division()) {
            Ranges ranges = new Ranges(prefix, division, spool.ranges());
            ParallelCalls.forEach(
                    IntStream.range(0, requests).boxed().toList(),
                    _ -> walk(ranges, kept, progress));
            new RangeBoundaryCheck(listing).check(ranges.inOrder());
        }
    }

    /** Passes on the wanted objects that were listed, in the order of their keys. */
    public void forEach(Consumer<LakeObject> each) {
        spool.forEach(each);
    }

    private void walk(Ranges ranges, AtomicLong kept, LongConsumer progress) {
        boolean ended = false;
        try {
            for (var range = ranges.take(); range.isPresent(); range = ranges.take()) {
                walk(ranges, range.get(), kept, progress);
            }
            ended = true;
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new ForebayException(
                    ErrorCode.UNAVAILABLE,
                    "the listing was interrupted before it ended: retry the request",
                    e);
        } finally {
            if (!ended) {
                // Without this, the other walkers would wait for this walker's range forever.
                ranges.stop();
            }
        }
    }

    private void walk(Ranges ranges, KeyRange range, AtomicLong kept, LongConsumer progress) {
        try (Spool.Part part = spool.open(range)) {
            String cursor = range.cursor;
            boolean last = false;
            while (!last) {
                if (ranges.isStopped()) {
                    return;
                }
                Ranges.Mine mine = ranges.mine(range, listing.page(cursor, Listing.PAGE_OBJECTS));
                List<LakeObject> objects =
                        mine.objects().stream().filter(o -> wanted.test(o.key())).toList();
                objects.forEach(listing::check);
                part.add(objects, mine);
                progress.accept(kept.addAndGet(objects.size()));
                cursor = mine.cursor();
                last = mine.last();
            }
        }
        ranges.done(range);
    }
}
