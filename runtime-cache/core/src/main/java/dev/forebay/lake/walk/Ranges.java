package dev.forebay.lake.walk;

import dev.forebay.lake.LakeObject;
import dev.forebay.lake.Listing;
import java.util.Comparator;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * Divides a listing among its walkers. An idle walker takes the second part of a range that another
 * walker is listing, if that range makes progress. A wrong guess costs one request for an empty
 * page. Each range costs at most one such guess for each of its pages.
 */
final class Ranges {

    private static final int PAGES_BETWEEN = 2;

    private final String prefix;
    private final Spool.Division division;
    private final List<KeyRange> ranges;
    private boolean stopped;

    /**
     * @param prefix the prefix of all keys
     * @param ranges those of an earlier attempt; empty if there was none
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

    /** Waits for a range to list. Returns empty when no range is left. */
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
        // A single active range is split after its first page, to get help early. Many active
        // ranges can guess less often.
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
     * Returns the part of a page that belongs to a range. The range may have been split while the
     * page was requested, and keys after its end belong to another range.
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
            // Do not split it: this page already shows what follows in the listing.
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

    /**
     * The part of a page that belongs to a range, see {@link Spool.Part#add} and {@link KeyRange}.
     */
    record Mine(
            List<LakeObject> objects,
            @Nullable String first,
            @Nullable String beyond,
            @Nullable String cursor,
            boolean last) {}

    /** Returns all ranges, in the order of their keys. */
    synchronized List<KeyRange> inOrder() {
        return ranges.stream().sorted(KeyRange.ORDER).toList();
    }

    /** Marks a range as completely listed and kept. */
    synchronized void done(KeyRange range) {
        range.state = KeyRange.State.DONE;
        notifyAll();
    }

    /** Stops all walkers. */
    synchronized void stop() {
        stopped = true;
        notifyAll();
    }

    synchronized boolean isStopped() {
        return stopped;
    }
}
