package dev.forebay.workflows;

import dev.forebay.model.RegionName;
import dev.forebay.workflows.message.PinGrant;
import java.util.HashMap;
import java.util.HashSet;
import java.util.Map;
import java.util.Set;

/** For whom pins were taken in this run, as long as they have not given them back. */
final class Takers {

    /** Of a pin that was there before this run, or was taken by itself. */
    private static final Taker SOMEBODY = new Taker();

    private final Map<Key, Set<Taker>> of = new HashMap<>();

    private record Key(RegionName region, String id) {
        static Key of(PinGrant pin) {
            return new Key(pin.region(), pin.id());
        }
    }

    /**
     * Somebody has taken a pin.
     *
     * @param there whether it is held already
     */
    void add(Taker taker, PinGrant pin, boolean there) {
        Key key = Key.of(pin);
        if (!there) {
            of.remove(key);
        }
        of.computeIfAbsent(key, _ -> there ? new HashSet<>(Set.of(SOMEBODY)) : new HashSet<>())
                .add(taker);
    }

    /** Somebody does not want it any more; whether he was the last. */
    boolean remove(Taker taker, PinGrant pin) {
        Set<Taker> left = of.get(Key.of(pin));
        if (left == null || !left.remove(taker) || !left.isEmpty()) {
            return false;
        }
        of.remove(Key.of(pin));
        return true;
    }
}
