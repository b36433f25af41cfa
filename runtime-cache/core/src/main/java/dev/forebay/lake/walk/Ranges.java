package dev.forebay.lake.walk;

import dev.forebay.lake.LakeObject;
import dev.forebay.lake.Listing;
import java.util.Comparator;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * How a listing is divided among those who list it. Who has nothing to do takes the second part of
 * a range that another one is listing, if that one gets on; a guess that was wrong costs one
 * request for an empty page, and each range at most one such guess per page of its own.
 */
final class Ranges {

    private static final int PAGES_BETWEEN = 2;

    private final String prefix;
    private final Spool.Division division;
    private final List<KeyRange> ranges;
    private boolean stopped;

    /**
     * @param prefix what all keys begin with
     * @param ranges those of an earlier attempt; none if there was none
     */
    Ranges(String prefix, Spool.Division division, List<KeyRange> ranges) {
        this.prefix = prefix;
        this.division = division;
        this.ranges = ranges;
        if (ranges.isEmpty()) {
            KeyRange all = new KeyRange(0, null, null);
            division.add(all, all);
            ranges.add(all);
        }
    }

    /** Waits for a range to list; empty when there will be none any more. */
    synchronized Optional<KeyRange> take() throws InterruptedException {
        while (!stopped) {
            Optional<KeyRange> free = waiting().or(this::divided);
            if (free.isPresent()) {
                free.get().state = KeyRange.State.ACTIVE;
                return free;
            }
            if (ranges.stream().noneMatch(range -> range.state == KeyRange.State.ACTIVE)) {
                return Optional.empty();
            }
            wait();
        }
        return Optional.empty();
    }

    private Optional<KeyRange> waiting() {
        return ranges.stream().filter(range -> range.state == KeyRange.State.WAITING).findFirst();
    }

    private Optional<KeyRange> divided() {
        List<KeyRange> active =
                ranges.stream().filter(range -> range.state == KeyRange.State.ACTIVE).toList();
        // The sooner a single walker is helped the better; many can afford to guess less often.
        int enough = active.size() == 1 ? 1 : PAGES_BETWEEN;
        return active.stream()
                .filter(range -> range.pages >= enough)
                .max(Comparator.comparingInt(range -> range.pages))
                .flatMap(this::divide);
    }

    private Optional<KeyRange> divide(KeyRange range) {
        range.pages = 0;
        return Midpoint.between(prefix, Objects.requireNonNull(range.cursor), range.upTo)
                .map(
                        middle -> {
                            KeyRange second = new KeyRange(ranges.size(), middle, range.upTo);
                            division.add(second, range);
                            ranges.add(second);
                            range.upTo = middle;
                            return second;
                        });
    }

    /**
     * What of a page belongs to a range. The range may have been divided while the page was on its
     * way: what lies behind its end is another's.
     */
    synchronized Mine mine(KeyRange range, Listing.Page page) {
        List<LakeObject> objects =
                page.objects().stream().filter(object -> range.has(object.key())).toList();
        String next = page.next();
        boolean last =
                next == null || objects.size() < page.objects().size() || !isBefore(next, range);
        String first = page.objects().isEmpty() ? null : page.objects().getFirst().key();
        String beyond = beyond(page, objects.size());
        range.listed(first, beyond, last ? range.upTo : next);
        if (last) {
            // Not to be divided: what follows in the listing is in this very page.
            range.pages = 0;
        } else {
            range.pages++;
            notifyAll();
        }
        return new Mine(objects, first, beyond, range.cursor, last);
    }

    private static @Nullable String beyond(Listing.Page page, int mine) {
        if (mine < page.objects().size()) {
            return page.objects().get(mine).key();
        }
        return page.next() == null ? KeyRange.NOTHING : null;
    }

    private static boolean isBefore(String next, KeyRange range) {
        return range.has(next) && !next.equals(range.upTo);
    }

    /** A part of a page: see {@link Spool.Part#add} and {@link KeyRange}. */
    record Mine(
            List<LakeObject> objects,
            @Nullable String first,
            @Nullable String beyond,
            @Nullable String cursor,
            boolean last) {}

    /** Them all, in the order of their keys. */
    synchronized List<KeyRange> inOrder() {
        return ranges.stream().sorted(KeyRange.ORDER).toList();
    }

    /** All of a range is listed and kept. */
    synchronized void done(KeyRange range) {
        range.state = KeyRange.State.DONE;
        notifyAll();
    }

    /** Nothing is to be listed any more. */
    synchronized void stop() {
        stopped = true;
        notifyAll();
    }

    synchronized boolean isStopped() {
        return stopped;
    }
}
