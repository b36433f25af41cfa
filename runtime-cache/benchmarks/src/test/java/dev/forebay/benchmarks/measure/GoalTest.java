package dev.forebay.benchmarks.measure;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

class GoalTest {

    private static Goal goal(String key) {
        return Stream.concat(Goal.ALL.stream(), Goal.LIFECYCLE.stream())
                .filter(goal -> goal.key().equals(key))
                .findFirst()
                .orElseThrow();
    }

    private static Goal.Ratio worst(
            String goal, Map<String, Map<BenchmarkedSystem, Double>> medians, String... names) {
        return goal(goal)
                .worst(
                        List.of(names),
                        (name, contender) ->
                                medians.getOrDefault(name, Map.of())
                                        .getOrDefault(contender, Double.NaN))
                .orElseThrow();
    }

    @Test
    void theWorstCaseDecidesWhetherAGoalIsMet() {
        Map<String, Map<BenchmarkedSystem, Double>> medians =
                Map.of(
                        "seq_1m_t1_buffered_disk",
                        Map.of(BenchmarkedSystem.NATIVE, 90.0, BenchmarkedSystem.RAW, 100.0),
                        "seq_1m_t4_buffered_disk",
                        Map.of(BenchmarkedSystem.NATIVE, 110.0, BenchmarkedSystem.RAW, 100.0),
                        "rand_4k_t1_buffered_disk",
                        Map.of(BenchmarkedSystem.NATIVE, 1.0, BenchmarkedSystem.RAW, 100.0));

        Goal.Ratio worst = worst("warm_seq", medians, medians.keySet().toArray(String[]::new));

        assertThat(worst).isEqualTo(new Goal.Ratio("seq_1m_t1_buffered_disk", 0.9));
        assertThat(goal("warm_seq").isMet(worst.value())).isFalse();
    }

    @Test
    void theGoalComparesThePreferredViewWithTheBetterPeer() {
        Map<String, Map<BenchmarkedSystem, Double>> medians =
                Map.of(
                        "walk",
                        Map.of(
                                BenchmarkedSystem.NATIVE, 300.0,
                                BenchmarkedSystem.ON_DEMAND, 1.0,
                                BenchmarkedSystem.RCLONE, 100.0,
                                BenchmarkedSystem.S3FS, 50.0));

        assertThat(worst("vs_best_peer", medians, "walk").value()).isEqualTo(3.0);
    }

    @Test
    void aDurationAboveTheBoundMissesTheGoal() {
        Map<String, Map<BenchmarkedSystem, Double>> medians =
                Map.of(
                        "first_byte",
                        Map.of(BenchmarkedSystem.ON_DEMAND, 4.0, BenchmarkedSystem.GET, 2.0));

        Goal.Ratio worst = worst("first_byte", medians, "first_byte");

        assertThat(worst.value()).isEqualTo(2.0);
        assertThat(goal("first_byte").isMet(worst.value())).isFalse();
    }

    @Test
    void aGoalWithoutPeersUsesTheMeasuredValue() {
        Map<String, Map<BenchmarkedSystem, Double>> medians =
                Map.of(
                        "gets_per_object_small", Map.of(BenchmarkedSystem.FOREBAY, 1.02),
                        "gets_per_object_large", Map.of(BenchmarkedSystem.FOREBAY, 1.0));

        Goal.Ratio worst =
                worst("gets_per_object", medians, medians.keySet().toArray(String[]::new));

        assertThat(worst).isEqualTo(new Goal.Ratio("gets_per_object_small", 1.02));
        assertThat(goal("gets_per_object").isMet(worst.value())).isFalse();
    }

    @Test
    void aCaseWithoutAMeasuredPeerIsShownButNotRated() {
        Map<String, Map<BenchmarkedSystem, Double>> medians =
                Map.of(
                        "remote_large",
                        Map.of(BenchmarkedSystem.ON_DEMAND, 50.0, BenchmarkedSystem.NGINX, 100.0),
                        "remote_rand_128k",
                        Map.of(BenchmarkedSystem.ON_DEMAND, 1.0, BenchmarkedSystem.RAW, 100.0));
        List<BenchmarkedSystem> rowsOf =
                List.of(BenchmarkedSystem.RAW, BenchmarkedSystem.ON_DEMAND);

        Goal.Ratio worst = worst("remote", medians, medians.keySet().toArray(String[]::new));

        assertThat(worst).isEqualTo(new Goal.Ratio("remote_large", 0.5));
        assertThat(Selection.parse("remote").of("remote_rand_128k", rowsOf))
                .containsExactly(BenchmarkedSystem.ON_DEMAND);
    }

    @Test
    void theLifecycleGoalsHaveTheExpectedKeys() {
        assertThat(Goal.LIFECYCLE)
                .extracting(Goal::key)
                .containsExactly(
                        "ensure_cached_vs_bare_update",
                        "prewarm_64m_vs_s5cmd",
                        "prewarm_100k_vs_s5cmd",
                        "gets_per_object",
                        "answered_after_fill_s");
    }

    @Test
    void aSelectionContainsOnlyTheSystemsThatItsGoalsCompare() {
        Selection selection = Selection.parse("cold,control_plane");

        assertThat(selection.of("cold_small", List.of(BenchmarkedSystem.values())))
                .containsExactly(BenchmarkedSystem.ON_DEMAND, BenchmarkedSystem.S5CMD);
        assertThat(selection.of("walk", List.of(BenchmarkedSystem.values()))).isEmpty();
        assertThat(selection.controlPlane()).isTrue();
        assertThatThrownBy(() -> Selection.parse("cold,hot")).hasMessageContaining("warm_seq");
    }
}
