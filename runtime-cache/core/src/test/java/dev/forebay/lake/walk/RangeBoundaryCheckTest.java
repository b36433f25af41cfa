package dev.forebay.lake.walk;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.forebay.lake.LakeObject;
import dev.forebay.lake.Listing;
import dev.forebay.model.ErrorCode;
import dev.forebay.model.ForebayException;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

class RangeBoundaryCheckTest {

    private final List<String> asked = new ArrayList<>();

    /** A store with its own order of keys. Each request returns the keys after the given one. */
    private Listing store(String... keys) {
        return (after, limit) -> {
            asked.add(String.valueOf(after));
            List<String> all = List.of(keys);
            int from = after == null ? 0 : all.indexOf(after) + 1;
            return new Listing.Page(
                    all.subList(from, all.size()).stream()
                            .map(RangeBoundaryCheckTest::object)
                            .toList(),
                    null);
        };
    }

    private static LakeObject object(String key) {
        return FakeListing.object(key);
    }

    private static List<KeyRange> ranges(@Nullable String beyond, @Nullable String first) {
        KeyRange one = new KeyRange(0, null, "m");
        one.listed("a", beyond, "m");
        KeyRange other = new KeyRange(1, "m", null);
        if (first != null) {
            other.listed(first, KeyRange.NOTHING, null);
        }
        return List.of(one, other);
    }

    @Test
    void rangesThatAgreeOnTheKeyBetweenThemNeedNoRequest() {
        RangeBoundaryCheck seams = new RangeBoundaryCheck(store());
        seams.check(ranges("n", "n"));
        seams.check(ranges(KeyRange.NOTHING, null));
        seams.check(ranges(null, "n"));
        assertThat(asked).isEmpty();
    }

    @Test
    void anObjectAddedOrDeletedMeanwhileCausesNoFailure() {
        new RangeBoundaryCheck(store("a", "m", "o")).check(ranges("n", "o"));
        assertThat(asked).containsExactly("null", "m");
        new RangeBoundaryCheck(store("a", "m", "n", "o")).check(ranges("o", "n"));
        new RangeBoundaryCheck(store("a", "m")).check(ranges("n", null));
        new RangeBoundaryCheck(store("a", "m", "n")).check(ranges(KeyRange.NOTHING, "n"));
    }

    /**
     * The store lists 'x' before 'm', so the first walker stops at 'x' and the second starts after
     * 'm'.
     */
    @Test
    void aKeyThatBothRangesMissedFailsAsUnsupported() {
        Stream.of("n", null)
                .forEach(
                        first ->
                                assertThatThrownBy(
                                                () ->
                                                        new RangeBoundaryCheck(store("a", "x", "m"))
                                                                .check(ranges("x", first)))
                                        .isInstanceOfSatisfying(
                                                ForebayException.class,
                                                e ->
                                                        assertThat(e.code())
                                                                .isEqualTo(
                                                                        ErrorCode.LAKE_UNSUPPORTED))
                                        .hasMessageContaining("'x'"));
    }
}
