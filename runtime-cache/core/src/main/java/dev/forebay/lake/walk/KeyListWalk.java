package dev.forebay.lake.walk;

import dev.forebay.lake.KeyOrder;
import dev.forebay.lake.LakeObject;
import dev.forebay.lake.Listing;
import dev.forebay.model.ErrorCode;
import dev.forebay.model.ForebayException;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import java.util.Set;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.function.Consumer;
import java.util.function.LongConsumer;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/**
 * Finds the keys of a list in a listing. Each page starts just before the next wanted key, so a
 * list costs at most one request for each key. Where keys are close together, it costs at most as
 * many requests as their pages.
 *
 * <p>Memory holds one block of keys for each request in flight.
 */
public final class KeyListWalk {

    private static final int BLOCK_KEYS = 1000;
    private static final int STEP = 8;
    private static final int MOST_MISSING = 10;

    private final Listing listing;
    private final String prefix;
    private final Predicate<String> wanted;

    /**
     * Creates a walk.
     *
     * @param listing of {@code prefix}
     * @param prefix the prefix of all keys
     * @param wanted selects the keys of the list to look up
     */
    public KeyListWalk(Listing listing, String prefix, Predicate<String> wanted) {
        this.listing = listing;
        this.prefix = prefix;
        this.wanted = wanted;
    }

    /**
     * Passes on the objects of a list, in the order of their keys.
     *
     * @param requests how many requests to send at once, at least 1
     * @param progress receives the number of objects so far
     * @throws ForebayException with {@code LAKE_EMPTY}, naming up to ten lines, if keys are not in
     *     the lake; with {@code INVALID_KEY} if lines are not keys below the prefix
     */
    public void forEach(
            KeyList list, int requests, Consumer<LakeObject> each, LongConsumer progress) {
        List<String> missing = new ArrayList<>();
        Deque<Future<Found>> underWay = new ArrayDeque<>();
        long count = 0;
        try (SortedKeys keys = list.sorted(prefix);
                ExecutorService lookers = Executors.newVirtualThreadPerTaskExecutor()) {
            try {
                boolean more = true;
                while (more || !underWay.isEmpty()) {
                    while (more && underWay.size() < requests) {
                        List<String> block = block(keys);
                        more = block.size() == BLOCK_KEYS;
                        underWay.add(lookers.submit(() -> look(block)));
                    }
                    Found found = await(underWay.remove());
                    found.objects().forEach(each);
                    count += found.objects().size();
                    progress.accept(count);
                    missing.addAll(found.missing());
                    if (missing.size() >= MOST_MISSING) {
                        break;
                    }
                }
            } finally {
                lookers.shutdownNow();
            }
        }
        if (!missing.isEmpty()) {
            throw list.missing(Set.copyOf(missing));
        }
    }

    private List<String> block(SortedKeys keys) {
        List<String> block = new ArrayList<>();
        while (block.size() < BLOCK_KEYS) {
            String key = keys.next();
            if (key == null) {
                break;
            }
            if (wanted.test(key)) {
                block.add(key);
            }
        }
        return block;
    }

    private record Found(List<LakeObject> objects, List<String> missing) {}

    private Found look(List<String> keys) {
        List<LakeObject> objects = new ArrayList<>();
        List<String> missing = new ArrayList<>();
        int limit = Listing.PAGE_OBJECTS;
        int at = 0;
        String listed = null;
        while (at < keys.size() && missing.size() < MOST_MISSING) {
            Listing.Page page = listing.page(later(justBefore(keys.get(at)), listed), limit);
            int before = at;
            for (LakeObject object : page.objects()) {
                at = skip(keys, at, object.key(), missing);
                if (at < keys.size() && keys.get(at).equals(object.key())) {
                    listing.check(object);
                    objects.add(object);
                    at++;
                }
            }
            at = skipListed(keys, at, page.next(), missing);
            listed = page.next();
            // Whole pages are wasteful for keys that lie far apart.
            limit = at - before == 1 ? Math.max(STEP, limit / STEP) : Listing.PAGE_OBJECTS;
        }
        return new Found(objects, missing);
    }

    private static @Nullable String later(@Nullable String one, @Nullable String other) {
        if (one == null || other == null) {
            return one == null ? other : one;
        }
        return KeyOrder.UTF8.compare(one, other) < 0 ? other : one;
    }

    /** Wanted keys that the listing has passed do not exist. */
    private static int skip(List<String> keys, int from, String listed, List<String> missing) {
        int at = from;
        while (at < keys.size() && KeyOrder.UTF8.compare(keys.get(at), listed) < 0) {
            missing.add(keys.get(at++));
        }
        return at;
    }

    private static int skipListed(
            List<String> keys, int from, @Nullable String next, List<String> missing) {
        int at = from;
        while (at < keys.size()
                && (next == null || KeyOrder.UTF8.compare(keys.get(at), next) <= 0)) {
            missing.add(keys.get(at++));
        }
        return at;
    }

    /**
     * Returns a text that sorts before a key but after almost all earlier keys. It is the key with
     * its last character decremented, followed by a tilde. If that is not a character of keys, it
     * is the key without its last character.
     */
    private @Nullable String justBefore(String key) {
        int last = key.length() - 1;
        char c = key.charAt(last);
        if (key.length() > prefix.length()
                && c > ' '
                && !Character.isSurrogate((char) (c - 1))
                && !Character.isSurrogate(c)) {
            return key.substring(0, last) + (char) (c - 1) + '~';
        }
        // Cut between whole characters: a key sorts after each of its prefixes.
        int cut = Character.isLowSurrogate(c) ? last - 1 : last;
        return cut <= 0 ? null : key.substring(0, cut);
    }

    private static Found await(Future<Found> looking) {
        try {
            return looking.get();
        } catch (ExecutionException e) {
            if (e.getCause() instanceof ForebayException failure) {
                throw failure;
            }
            throw new IllegalStateException(
                    "the listing failed because of a defect in Forebay: report it with this stack trace",
                    e.getCause());
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new ForebayException(
                    ErrorCode.UNAVAILABLE,
                    "the listing was interrupted before it ended: retry the request",
                    e);
        }
    }
}
