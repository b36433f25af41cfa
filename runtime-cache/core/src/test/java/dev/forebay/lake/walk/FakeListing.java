package dev.forebay.lake.walk;

import dev.forebay.lake.KeyOrder;
import dev.forebay.lake.LakeObject;
import dev.forebay.lake.Listing;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.NavigableMap;
import java.util.concurrent.ConcurrentSkipListMap;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.atomic.AtomicInteger;
import org.jspecify.annotations.Nullable;

/**
 * A listing in memory that counts requests and can run an action, such as a failure, before each
 * page. Pages have at most 10 objects.
 */
final class FakeListing implements Listing {

    static final int PAGE = 10;

    private final NavigableMap<String, LakeObject> objects =
            new ConcurrentSkipListMap<>(KeyOrder.UTF8);
    private final AtomicInteger requests = new AtomicInteger();
    private final AtomicInteger underWay = new AtomicInteger();
    private final AtomicInteger mostUnderWay = new AtomicInteger();
    private final List<String> checked = new CopyOnWriteArrayList<>();
    private volatile Runnable before = () -> {};

    FakeListing(Collection<String> keys) {
        keys.forEach(this::put);
    }

    void put(String key) {
        objects.put(key, object(key));
    }

    static LakeObject object(String key) {
        return new LakeObject(
                key,
                key.length(),
                Instant.ofEpochSecond(key.hashCode(), 7),
                "etag-" + key,
                key.hashCode() % 2 == 0 ? null : "v-" + key);
    }

    List<LakeObject> all() {
        return List.copyOf(objects.values());
    }

    int requests() {
        return requests.get();
    }

    int mostUnderWay() {
        return mostUnderWay.get();
    }

    /** Returns the keys of the objects that were checked. */
    List<String> checked() {
        return List.copyOf(checked);
    }

    void beforeEachPage(Runnable action) {
        before = action;
    }

    @Override
    public void check(LakeObject object) {
        checked.add(object.key());
    }

    @Override
    public Page page(@Nullable String after, int limit) {
        requests.incrementAndGet();
        mostUnderWay.accumulateAndGet(underWay.incrementAndGet(), Math::max);
        try {
            before.run();
            List<LakeObject> found = new ArrayList<>();
            var rest = after == null ? objects : objects.tailMap(after, false);
            int most = Math.min(limit, PAGE);
            for (LakeObject object : rest.values()) {
                if (found.size() == most) {
                    return new Page(found, found.getLast().key());
                }
                found.add(object);
            }
            return new Page(found, null);
        } finally {
            underWay.decrementAndGet();
        }
    }
}
