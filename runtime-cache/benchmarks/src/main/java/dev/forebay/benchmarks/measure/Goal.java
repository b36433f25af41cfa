package dev.forebay.benchmarks.measure;

import static dev.forebay.benchmarks.measure.BenchmarkedSystem.BARE_UPDATE;
import static dev.forebay.benchmarks.measure.BenchmarkedSystem.FOREBAY;
import static dev.forebay.benchmarks.measure.BenchmarkedSystem.GET;
import static dev.forebay.benchmarks.measure.BenchmarkedSystem.JNR;
import static dev.forebay.benchmarks.measure.BenchmarkedSystem.NATIVE;
import static dev.forebay.benchmarks.measure.BenchmarkedSystem.NATIVE_LOOPS;
import static dev.forebay.benchmarks.measure.BenchmarkedSystem.NGINX;
import static dev.forebay.benchmarks.measure.BenchmarkedSystem.ON_DEMAND;
import static dev.forebay.benchmarks.measure.BenchmarkedSystem.RAW;
import static dev.forebay.benchmarks.measure.BenchmarkedSystem.RCLONE;
import static dev.forebay.benchmarks.measure.BenchmarkedSystem.S3FS;
import static dev.forebay.benchmarks.measure.BenchmarkedSystem.S5CMD;
import static dev.forebay.benchmarks.measure.BenchmarkedSystem.STOCK;

import java.util.Comparator;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.function.ToDoubleBiFunction;
import java.util.regex.Pattern;
import java.util.stream.Stream;

/**
 * A goal for Forebay's figures in comparison with others.
 *
 * @param key its name, in results and on the command line
 * @param cases the names of its cases
 * @param figure the figure of their rows that counts
 * @param ours the first of these that a case has
 * @param others the best of these is compared; none if the figure itself counts
 * @param bound of the ratio ours/others in the worst case
 * @param atMost whether the bound is a maximum, as for times; otherwise it is a minimum
 */
public record Goal(
        String key,
        Pattern cases,
        Figure figure,
        List<BenchmarkedSystem> ours,
        List<BenchmarkedSystem> others,
        double bound,
        boolean atMost) {

    /** The second serves cases that the first cannot, those with O_DIRECT. */
    private static final List<BenchmarkedSystem> WARM = List.of(NATIVE, NATIVE_LOOPS);

    public static final List<Goal> ALL =
            List.of(
                    atLeast("warm_seq", "seq_.*", WARM, List.of(RAW), 0.95),
                    atLeast("warm_rand", "rand_.*", WARM, List.of(RAW), 0.95),
                    new Goal(
                            "cpu_ratio",
                            Pattern.compile("(seq|rand)_.*"),
                            Figure.CPU,
                            WARM,
                            List.of(RAW),
                            1.1,
                            true),
                    atLeast("small_files", "small_t4.*|walk", List.of(NATIVE), List.of(RAW), 0.95),
                    atLeast(
                            "on_demand",
                            "seq_.*_buffered_disk",
                            List.of(ON_DEMAND),
                            List.of(RAW),
                            0.4),
                    atLeast("on_demand_small", "small_.*", List.of(ON_DEMAND), List.of(STOCK), 2),
                    atLeast("remote", "remote_.*", List.of(ON_DEMAND), List.of(NGINX), 0.8),
                    atLeast("cold", "cold_.*", List.of(ON_DEMAND), List.of(S5CMD), 0.9),
                    atLeast(
                            "vs_best_peer",
                            "(seq|rand)_.*_buffered_disk|small_.*_disk|cold_.*|walk",
                            List.of(NATIVE, ON_DEMAND),
                            List.of(RCLONE, S3FS),
                            2),
                    atLeast(
                            "jnr_vs_stock",
                            "(seq|rand|small)_.*|walk",
                            List.of(JNR),
                            List.of(STOCK),
                            1),
                    new Goal(
                            "first_byte",
                            Pattern.compile("first_byte"),
                            Figure.VALUE,
                            List.of(ON_DEMAND),
                            List.of(GET),
                            1.5,
                            true));

    /** The goals of {@code AwayBenchmark}. */
    public static final List<Goal> AWAY =
            ALL.stream()
                    .filter(
                            goal ->
                                    Set.of("cold", "vs_best_peer", "first_byte")
                                            .contains(goal.key()))
                    .toList();

    /** The goals of {@code LifecycleBenchmark}. */
    public static final List<Goal> LIFECYCLE =
            List.of(
                    atMost(
                            "ensure_cached_vs_bare_update",
                            "ensure_cached",
                            List.of(BARE_UPDATE),
                            1.5),
                    atLeast(
                            "prewarm_64m_vs_s5cmd",
                            "prewarm_large",
                            List.of(FOREBAY),
                            List.of(S5CMD),
                            0.9),
                    atLeast(
                            "prewarm_100k_vs_s5cmd",
                            "prewarm_small",
                            List.of(FOREBAY),
                            List.of(S5CMD),
                            1),
                    atMost("gets_per_object", "gets_per_object_.*", List.of(), 1),
                    atMost("answered_after_fill_s", "answered_after_fill", List.of(), 2));

    /** The ratio of one case. */
    public record Ratio(String name, double value) {}

    private static Goal atLeast(
            String key,
            String cases,
            List<BenchmarkedSystem> ours,
            List<BenchmarkedSystem> others,
            double bound) {
        return new Goal(key, Pattern.compile(cases), Figure.VALUE, ours, others, bound, false);
    }

    private static Goal atMost(
            String key, String cases, List<BenchmarkedSystem> others, double bound) {
        return new Goal(
                key, Pattern.compile(cases), Figure.VALUE, List.of(FOREBAY), others, bound, true);
    }

    /**
     * Returns whether the goal has a case and a system takes part in it.
     *
     * @param system its label
     */
    public boolean needs(String name, String system) {
        return cases.matcher(name).matches()
                && Stream.concat(ours.stream(), others.stream())
                        .anyMatch(contender -> contender.label().equals(system));
    }

    /**
     * Returns the worst ratio of its cases, if one was measured.
     *
     * @param measured returns the medians, NaN where there is none
     */
    public Optional<Ratio> worst(
            List<String> names, ToDoubleBiFunction<String, BenchmarkedSystem> measured) {
        Comparator<Ratio> byValue = Comparator.comparingDouble(Ratio::value);
        return names.stream()
                .filter(name -> cases.matcher(name).matches())
                .flatMap(name -> ratio(name, measured).stream())
                .min(atMost ? byValue.reversed() : byValue);
    }

    private Optional<Ratio> ratio(
            String name, ToDoubleBiFunction<String, BenchmarkedSystem> measured) {
        double own = first(ours, name, measured);
        double best =
                others.isEmpty()
                        ? 1
                        : others.stream()
                                .mapToDouble(other -> measured.applyAsDouble(name, other))
                                .filter(Double::isFinite)
                                .reduce(atMost ? Math::min : Math::max)
                                .orElse(Double.NaN);
        double ratio = own / best;
        return Double.isFinite(ratio) ? Optional.of(new Ratio(name, ratio)) : Optional.empty();
    }

    private static double first(
            List<BenchmarkedSystem> of,
            String name,
            ToDoubleBiFunction<String, BenchmarkedSystem> measured) {
        return of.stream()
                .mapToDouble(each -> measured.applyAsDouble(name, each))
                .filter(Double::isFinite)
                .findFirst()
                .orElse(Double.NaN);
    }

    public boolean isMet(double ratio) {
        return atMost ? ratio <= bound : ratio >= bound;
    }
}
