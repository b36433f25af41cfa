package dev.forebay.workflows;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Instant;
import org.junit.jupiter.api.Test;

class RevisionTest {

    private static final long NOW = Instant.parse("2026-11-29T12:00:00Z").toEpochMilli();
    private static final long LONGEST_HISTORY = 51_200;

    @Test
    void aLaterRunHasALargerRevisionThanTheLongestEarlierRun() {
        Revision last = new Revision(NOW, LONGEST_HISTORY);

        assertThat(last.number()).isGreaterThan(new Revision(NOW, 1).number());
        assertThat(new Revision(NOW + 1, 1).number()).isGreaterThan(last.number());
        assertThat(Revision.of(last.number())).isEqualTo(last);
    }

    @Test
    void aRevisionIsAheadOfARunThatCannotHaveSentItYet() {
        Revision told = new Revision(NOW, 200);

        assertThat(told.isAheadOf(new Revision(NOW, 120))).isTrue();
        assertThat(told.isAheadOf(new Revision(NOW - 60_000, 300))).as("a later run").isTrue();
        assertThat(told.isAheadOf(new Revision(NOW, 200))).isFalse();
        assertThat(told.isAheadOf(new Revision(NOW - 1, 200))).as("the same run").isFalse();
        assertThat(told.isAheadOf(new Revision(NOW + 60_000, 3))).isFalse();
        assertThat(Revision.of(0).isAheadOf(told)).as("nothing was sent").isFalse();
    }
}
