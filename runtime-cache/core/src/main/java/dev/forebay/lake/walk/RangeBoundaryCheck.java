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
 * Checks that no key is lost between two adjacent ranges. The walker of the first range saw a key
 * after its end, and the walker of the second range must have found the same key first.
 *
 * <p>If a store does not list keys in the order of their bytes, keys can lie in neither of two
 * ranges, although each page is in order.
 */
final class RangeBoundaryCheck {

    /**
     * An object that is written or deleted between two requests also causes a difference, but not
     * repeatedly.
     */
    private static final int LOOKS = 3;

    private final Listing listing;

    RangeBoundaryCheck(Listing listing) {
        this.listing = listing;
    }

    /**
     * Checks ranges that are completely listed. Each difference costs two requests, up to three
     * times.
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
                "the lake continues with '%s' after '%s', but with '%s' after an earlier key: it does not list keys in the order of their UTF-8 bytes"
                        .formatted(found, middle, beyond));
    }

    /** Returns null if the page ends before, but the listing continues. */
    private static @Nullable String firstBehind(String middle, Listing.Page page) {
        return page.objects().stream()
                .map(LakeObject::key)
                .filter(key -> KeyOrder.UTF8.compare(key, middle) > 0)
                .findFirst()
                .orElse(page.next() == null ? KeyRange.NOTHING : null);
    }
}
