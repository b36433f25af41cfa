package dev.forebay.lake.walk;

import dev.forebay.lake.LakeObject;
import dev.forebay.lake.Listing;
import dev.forebay.model.ErrorCode;
import dev.forebay.model.ForebayException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.Consumer;
import java.util.function.LongConsumer;
import java.util.function.Predicate;

/**
 * Lists all of a prefix by several requests at once, onto disk, and then tells it in order.
 *
 * <p>The space of keys is divided while it is listed, wherever somebody has nothing to do: nobody
 * need know how keys are spread, one flat folder is listed as fast as many, and what fits into a
 * page costs one request. Memory is a page per request that is under way.
 *
 * <p>A walk that ended early, by a failure or with its process, is gone on with by the next one
 * over the same folder: no page that was kept is listed again.
 */
public final class PrefixWalk {

    private final Listing listing;
    private final String prefix;
    private final Predicate<String> wanted;
    private final Spool spool;

    /**
     * A walk.
     *
     * @param listing of {@code prefix}
     * @param prefix what all keys begin with
     * @param wanted which keys are kept
     * @param folder an existing folder that is this walk's alone; about 150 bytes an object
     * @param what the same text for the same listing: a folder of another one begins anew
     * @throws ForebayException with {@code CAPACITY_EXCEEDED} if the folder cannot be written, as
     *     all methods
     */
    public PrefixWalk(
            Listing listing, String prefix, Predicate<String> wanted, Path folder, String what) {
        this.listing = listing;
        this.prefix = prefix;
        this.wanted = wanted;
        this.spool = Spool.open(folder, what);
    }

    /**
     * Lists what is not listed yet; returns when all is.
     *
     * @param requests how many at once, at least 1
     * @param progress called with the objects that were kept so far, by earlier attempts too; by
     *     any thread
     * @throws ForebayException the first failure, when the others have stopped
     */
    public void list(int requests, LongConsumer progress) {
        AtomicLong kept = new AtomicLong();
        spool.forEach(object -> kept.incrementAndGet());
        progress.accept(kept.get());
        try (Spool.Division division = spool.division();
                ExecutorService walkers = Executors.newVirtualThreadPerTaskExecutor()) {
            Ranges ranges = new Ranges(prefix, division, spool.ranges());
            List<Future<?>> walks = new ArrayList<>();
            for (int i = 0; i < requests; i++) {
                walks.add(walkers.submit(() -> walk(ranges, kept, progress)));
            }
            try {
                await(walks);
            } catch (RuntimeException e) {
                ranges.stop();
                walkers.shutdownNow();
                throw e;
            }
            new Seams(listing).check(ranges.inOrder());
        }
    }

    /** What was listed and is wanted, in the order of the keys. */
    public void forEach(Consumer<LakeObject> each) {
        spool.forEach(each);
    }

    private void walk(Ranges ranges, AtomicLong kept, LongConsumer progress) {
        try {
            for (var range = ranges.take(); range.isPresent(); range = ranges.take()) {
                walk(ranges, range.get(), kept, progress);
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw stopped(e);
        } catch (RuntimeException | Error e) {
            // Else the others would wait for ever for what this one was listing.
            ranges.stop();
            throw e;
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

    private static void await(List<Future<?>> walks) {
        for (Future<?> walk : walks) {
            try {
                walk.get();
            } catch (ExecutionException e) {
                if (e.getCause() instanceof ForebayException failure) {
                    throw failure;
                }
                throw new IllegalStateException("a walk has a defect", e.getCause());
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
                throw stopped(e);
            }
        }
    }

    private static ForebayException stopped(InterruptedException e) {
        return new ForebayException(ErrorCode.UNAVAILABLE, "the listing was stopped", e);
    }
}
