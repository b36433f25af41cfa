package dev.forebay.fuse;

import static org.assertj.core.api.Assertions.assertThat;

import dev.forebay.model.DatasetVersion;
import java.util.List;
import java.util.Set;
import org.junit.jupiter.api.Test;

class VersionsByArrivalTest {

    private static final DatasetVersion A = version("a");
    private static final DatasetVersion B = version("b");
    private static final DatasetVersion C = version("c");
    private static final DatasetVersion D = version("d");

    private static DatasetVersion version(String name) {
        return DatasetVersion.of("ns", name, "v1");
    }

    @Test
    void theLatestArrivalIsFirstAndVersionsThatLeftAreOmitted() {
        VersionsByArrival arrivals =
                VersionsByArrival.found(List.of(), Set.of(B)).then(Set.of(B, A));
        assertThat(arrivals.order()).containsExactly(A, B);

        assertThat(arrivals.then(Set.of(A, D, C)).order()).containsExactly(C, D, A);
    }

    @Test
    void aVersionThatReturnsIsTheLatestArrival() {
        VersionsByArrival arrivals = VersionsByArrival.found(List.of(B, A), Set.of(A, B));

        assertThat(arrivals.then(Set.of(B)).then(Set.of(A, B)).order()).containsExactly(A, B);
    }

    @Test
    void aSuccessorKeepsTheReportedOrderAndAppendsOtherVersions() {
        VersionsByArrival arrivals = VersionsByArrival.found(List.of(D, B), Set.of(A, B, C, D));

        assertThat(arrivals.order()).containsExactly(D, B, A, C);
        assertThat(VersionsByArrival.found(List.of(D, B), Set.of(A, B)).order())
                .containsExactly(B, A);
    }

    /** A version that was left out must not return in the place of one that is named. */
    @Test
    void aReportOverItsLimitNamesTheSameVersionsUntilSomethingChanges() {
        VersionsByArrival arrivals =
                VersionsByArrival.found(List.of(), Set.of(A, B)).then(Set.of(A, B, C, D));
        assertThat(arrivals.last(2)).containsExactly(C, D);

        for (int i = 0; i < 3; i++) {
            arrivals = arrivals.then(Set.of(A, B, C, D));
            assertThat(arrivals.last(2)).containsExactly(C, D);
        }
        assertThat(arrivals.then(Set.of(A, B, D)).last(2)).containsExactly(D, A);
    }
}
