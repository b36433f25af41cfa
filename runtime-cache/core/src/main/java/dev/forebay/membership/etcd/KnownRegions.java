package dev.forebay.membership.etcd;

import static java.nio.charset.StandardCharsets.UTF_8;

import dev.forebay.membership.Keys;
import dev.forebay.model.ForebayException;
import dev.forebay.model.RegionName;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/** Lists the regions that have keys in an etcd. */
final class KnownRegions {

    /** Bounds the calls, because a key that belongs to no region costs a call, too. */
    private static final int MAX_QUESTIONS = 100;

    private KnownRegions() {}

    /**
     * Returns the first regions by name. Makes one small call for each region, however many keys
     * the region has.
     */
    static List<RegionName> of(EtcdSession session, int most) {
        List<RegionName> regions = new ArrayList<>();
        String from = Keys.ALL;
        for (int i = 0; i < MAX_QUESTIONS && regions.size() < most; i++) {
            Optional<String> key =
                    session.firstKey(from, Keys.after(Keys.ALL))
                            .map(found -> found.toString(UTF_8));
            if (key.isEmpty()) {
                return regions;
            }
            int end = key.get().indexOf('/', Keys.ALL.length());
            if (end < 0) {
                from = key.get() + '\0';
            } else {
                region(key.get().substring(Keys.ALL.length(), end)).ifPresent(regions::add);
                from = Keys.after(key.get().substring(0, end + 1));
            }
        }
        return regions;
    }

    private static Optional<RegionName> region(String name) {
        try {
            return Optional.of(new RegionName(name));
        } catch (ForebayException e) {
            return Optional.empty();
        }
    }
}
