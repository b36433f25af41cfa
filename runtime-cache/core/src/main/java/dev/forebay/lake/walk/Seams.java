package dev.forebay.lake.walk;

import dev.forebay.lake.KeyOrder;
import dev.forebay.lake.LakeObject;
import dev.forebay.lake.Listing;
import dev.forebay.model.ErrorCode;
import dev.forebay.model.ForebayException;
import java.util.List;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * Compares what two ranges that follow one another have seen of the key between them. Who listed
 * the first one went on to a key behind its end; who began there must have found that same key. If
 * a store lists in another order than that of the keys' bytes, keys can lie between the two, in
 * neither of them, though each page by itself is in order.
 */
final class Seams {

    /** An object that comes or goes just then makes a difference, too, but not again and again. */
    private static final int LOOKS = 3;

    private final Listing listing;

    Seams(Listing listing) {
        this.listing = listing;
    }

    /**
     * Checks ranges that are all listed. Costs two requests for each two that differ.
     *
     * @param ranges in the order of their keys
     * @throws ForebayException with {@code LAKE_UNSUPPORTED} if keys may be missing
     */
    void check(List<KeyRange> ranges) {
        for (int i = 1; i < ranges.size(); i++) {
            KeyRange range = ranges.get(i - 1);
            String found = Objects.requireNonNullElse(ranges.get(i).first, KeyRange.NOTHING);
            if (range.beyond != null && !range.beyond.equals(found)) {
                lookAgain(range.before, Objects.requireNonNull(range.upTo));
            }
        }
    }

    private void lookAgain(@Nullable String before, String middle) {
        String beyond = null;
        String found = null;
        for (int look = 0; look < LOOKS; look++) {
            Listing.Page page = listing.page(before, Listing.PAGE_OBJECTS);
            beyond = firstBehind(middle, page);
            found = firstBehind(middle, listing.page(middle, Listing.PAGE_OBJECTS));
            if (beyond == null || beyond.equals(found)) {
                return;
            }
        }
        throw new ForebayException(
                ErrorCode.LAKE_UNSUPPORTED,
                "the lake goes on with '%s' where it is asked for what follows '%s', and with '%s' after an earlier key: it does not list keys in the order of their bytes in UTF-8"
                        .formatted(found, middle, beyond));
    }

    /** Null if the page ends before, and the listing does not. */
    private static @Nullable String firstBehind(String middle, Listing.Page page) {
        return page.objects().stream()
                .map(LakeObject::key)
                .filter(key -> KeyOrder.UTF8.compare(key, middle) > 0)
                .findFirst()
                .orElse(page.next() == null ? KeyRange.NOTHING : null);
    }
}
