package dev.forebay.control.catalogue;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import org.junit.jupiter.api.Test;

class NearestNamesTest {

    @Test
    void namesWithTheFewestEditsComeFirst() {
        List<String> names = List.of("2026-11-20", "2026-11-12", "2025-01-01", "nightly");

        assertThat(NearestNames.of("2026-11-21", names, 2))
                .containsExactly("2026-11-20", "2026-11-12");
        assertThat(NearestNames.of("nigthly", names, 1)).containsExactly("nightly");
        assertThat(NearestNames.of("Nightly", names, 1)).containsExactly("nightly");
    }

    @Test
    void anAddedOrMissingSuffixCountsAsOneEdit() {
        List<String> names = List.of("v2-test", "v1");

        assertThat(NearestNames.of("v1-typo", names, 1)).containsExactly("v1");
        assertThat(NearestNames.of("v2", names, 1)).containsExactly("v2-test");
    }

    @Test
    void namesUpToTwoEditsAwayAreNear() {
        assertThat(List.of("latest", "latset", "Latest", "lastet", "latest-1"))
                .allMatch(asked -> NearestNames.isNear(asked, "latest"));
        assertThat(List.of("v1", "2026-11-20", "trial", "last-one"))
                .noneMatch(asked -> NearestNames.isNear(asked, "latest"));
    }

    @Test
    void equallyNearNamesKeepTheirOrder() {
        assertThat(NearestNames.of("v9", List.of("v3", "v2", "v1"), 2)).containsExactly("v3", "v2");
        assertThat(NearestNames.of("v9", List.of(), 3)).isEmpty();
    }
}
