package dev.forebay.lake.walk;

import static org.assertj.core.api.Assertions.assertThat;

import dev.forebay.lake.Listing;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class RangesTest {
    private Spool.Division division;
    private Ranges ranges;

    @BeforeEach
    void begin(@TempDir Path folder) {
        division = Spool.open(folder, "a listing").division();
        ranges = new Ranges("p/", division, new ArrayList<>());
    }

    @AfterEach
    void end() {
        division.close();
    }

    private static Listing.Page page(@Nullable String next, String... keys) {
        return new Listing.Page(List.of(keys).stream().map(FakeListing::object).toList(), next);
    }

    private KeyRange taken() throws InterruptedException {
        return ranges.take().orElseThrow();
    }

    @Test
    void theOnlyRangeIsDividedAfterItsFirstPage() throws InterruptedException {
        KeyRange all = taken();
        Ranges.Mine mine = ranges.mine(all, page("p/3", "p/1", "p/3"));

        assertThat(mine.objects()).hasSize(2);
        assertThat(mine.first()).isEqualTo("p/1");
        assertThat(mine.beyond()).isNull();
        assertThat(mine.cursor()).isEqualTo("p/3");
        assertThat(mine.last()).isFalse();

        KeyRange second = taken();
        assertThat(second.from).isEqualTo(all.upTo).startsWith("p/").isGreaterThan("p/3");
        assertThat(second.upTo).isNull();
        assertThat(ranges.inOrder()).containsExactly(all, second);
    }

    @Test
    void twoRangesAreDividedAfterTwoPagesAndTheLongerOneFirst() throws InterruptedException {
        KeyRange all = taken();
        ranges.mine(all, page("p/100", "p/100"));
        KeyRange second = taken();
        ranges.mine(all, page("p/110", "p/110"));
        ranges.mine(second, page("p/910", "p/910"));
        ranges.mine(second, page("p/920", "p/920"));
        KeyRange third = taken();

        assertThat(third.upTo).as("it is a part of the second").isNull();
        assertThat(second.upTo).isEqualTo(third.from);
        assertThat(ranges.inOrder()).containsExactly(all, second, third);
    }

    @Test
    void keysBehindTheEndOfARangeAreLeftToTheNext() throws InterruptedException {
        KeyRange all = taken();
        ranges.mine(all, page("p/1", "p/1"));
        KeyRange second = taken();
        String middle = String.valueOf(all.upTo);

        Ranges.Mine mine = ranges.mine(all, page("p/99", "p/2", middle, "p/98", "p/99"));

        assertThat(mine.objects()).extracting("key").containsExactly("p/2", middle);
        assertThat(mine.beyond()).isEqualTo("p/98");
        assertThat(mine.cursor()).isEqualTo(middle).isEqualTo(second.from);
        assertThat(mine.last()).isTrue();
    }

    @Test
    void aRangeEndsAtAPageThatEndsWithItsLastKey() throws InterruptedException {
        KeyRange all = taken();
        ranges.mine(all, page("p/1", "p/1"));
        KeyRange _ = taken();
        String middle = String.valueOf(all.upTo);

        Ranges.Mine mine = ranges.mine(all, page(middle, "p/2", middle));

        assertThat(mine.beyond()).as("the page does not show it").isNull();
        assertThat(mine.last()).isTrue();
    }

    @Test
    void theLastPageOfTheListingHasNothingBeyond() throws InterruptedException {
        Ranges.Mine mine = ranges.mine(taken(), page(null, "p/1"));

        assertThat(mine.beyond()).isEqualTo(KeyRange.NOTHING);
        assertThat(mine.cursor()).isNull();
        assertThat(mine.last()).isTrue();
    }

    @Test
    void noRangeIsLeftWhenAllAreDoneOrTheWalkIsStopped() throws InterruptedException {
        KeyRange all = taken();
        ranges.mine(all, page(null, "p/1"));
        ranges.done(all);
        assertThat(ranges.take()).isEmpty();
        assertThat(ranges.isStopped()).isFalse();

        ranges.stop();
        assertThat(ranges.isStopped()).isTrue();
        assertThat(ranges.take()).isEmpty();
    }
}
