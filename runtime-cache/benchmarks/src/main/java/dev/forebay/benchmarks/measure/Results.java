package dev.forebay.benchmarks.measure;

import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.SerializationFeature;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/** The measured values: a row for each case and system, with all its rounds. */
public final class Results {
    /** The system name of Forebay's own figures, where views do not matter. */
    public static final String FOREBAY = "forebay";

    private record Key(String name, String system, String unit) {}

    private record Row(List<Double> rounds, List<Double> cpuSecondsPerGigabyte) {
        List<Double> of(Figure figure) {
            return switch (figure) {
                case VALUE -> rounds;
                case CPU -> cpuSecondsPerGigabyte;
            };
        }
    }

    private record Refusal(String name, String system) {}

    private final List<Goal> goals;
    private final Map<Key, Row> rows = new LinkedHashMap<>();
    private final Map<Refusal, String> refusals = new LinkedHashMap<>();

    /** Results for the goals of the data plane. */
    public Results() {
        this(Goal.ALL);
    }

    public Results(List<Goal> goals) {
        this.goals = goals;
    }

    public void add(String name, String system, String unit, double value) {
        row(name, system, unit).rounds.add(value);
    }

    public void add(String name, String system, String unit, double value, double cpuPerGigabyte) {
        add(name, system, unit, value);
        row(name, system, unit).cpuSecondsPerGigabyte.add(cpuPerGigabyte);
    }

    /** Records that a system does not support a case. */
    public void refused(String name, String system, String why) {
        refusals.put(new Refusal(name, system), why);
    }

    private Row row(String name, String system, String unit) {
        return rows.computeIfAbsent(
                new Key(name, system, unit), key -> new Row(new ArrayList<>(), new ArrayList<>()));
    }

    /** Returns a Markdown table of all rows. Ratios are to the first system of a case. */
    public String table() {
        StringBuilder table =
                new StringBuilder(
                        "| case | system | unit | rounds | median | ratio | CPU s/GB |\n");
        table.append("|---|---|---|---|---:|---:|---:|\n");
        Map<String, Double> first = new LinkedHashMap<>();
        rows.forEach(
                (key, row) -> {
                    double median = median(row.rounds);
                    Double base = first.putIfAbsent(key.name() + key.unit(), median);
                    table.append(
                            "| %s | %s | %s | %s | %s | %s | %s |%n"
                                    .formatted(
                                            key.name(),
                                            key.system(),
                                            key.unit(),
                                            String.join(
                                                    ", ",
                                                    row.rounds.stream()
                                                            .map(Results::text)
                                                            .toList()),
                                            text(median),
                                            base == null ? "" : "%.2f".formatted(median / base),
                                            row.cpuSecondsPerGigabyte.isEmpty()
                                                    ? ""
                                                    : "%.2f"
                                                            .formatted(
                                                                    median(
                                                                            row.cpuSecondsPerGigabyte))));
                });
        return table.toString();
    }

    /** Returns a Markdown table of the goals that have measurements. */
    public String goals() {
        StringBuilder table =
                new StringBuilder(
                        "| ratio | goal | worst | in case | met |\n|---|---|---:|---|---|\n");
        for (Goal goal : goals) {
            worst(goal)
                    .ifPresent(
                            worst ->
                                    table.append(
                                            "| `%s` | %s %s | %.2f | %s | %s |%n"
                                                    .formatted(
                                                            goal.key(),
                                                            goal.atMost() ? "≤" : "≥",
                                                            goal.bound(),
                                                            worst.value(),
                                                            worst.name(),
                                                            isMet(goal, worst) ? "yes" : "no")));
        }
        refusals.forEach(
                (refusal, why) ->
                        table.append(
                                "%n%s cannot do %s: %s"
                                        .formatted(refusal.system(), refusal.name(), why)));
        return table.toString();
    }

    private Optional<Goal.Ratio> worst(Goal goal) {
        List<String> names = rows.keySet().stream().map(Key::name).distinct().toList();
        return goal.worst(names, (name, contender) -> median(name, contender, goal.figure()));
    }

    private boolean isMet(Goal goal, Goal.Ratio worst) {
        return goal.isMet(worst.value())
                && refusals.keySet().stream()
                        .noneMatch(refusal -> goal.needs(refusal.name(), refusal.system()));
    }

    private double median(String name, BenchmarkedSystem contender, Figure figure) {
        return rows.entrySet().stream()
                .filter(row -> row.getKey().name().equals(name))
                .filter(row -> row.getKey().system().equals(contender.label()))
                .map(row -> row.getValue().of(figure))
                .filter(figures -> !figures.isEmpty())
                .mapToDouble(Results::median)
                .findFirst()
                .orElse(Double.NaN);
    }

    public void write(Path file, Map<String, Object> circumstances) throws IOException {
        List<Map<String, Object>> written = new ArrayList<>();
        rows.forEach(
                (key, row) -> {
                    Map<String, Object> one = new LinkedHashMap<>();
                    one.put("case", key.name());
                    one.put("system", key.system());
                    one.put("unit", key.unit());
                    one.put("rounds", row.rounds);
                    one.put("median", median(row.rounds));
                    if (!row.cpuSecondsPerGigabyte.isEmpty()) {
                        one.put("cpu_seconds_per_gb", median(row.cpuSecondsPerGigabyte));
                    }
                    written.add(one);
                });
        List<Map<String, String>> refused = new ArrayList<>();
        refusals.forEach(
                (refusal, why) ->
                        refused.add(
                                Map.of(
                                        "case", refusal.name(),
                                        "system", refusal.system(),
                                        "why", why)));
        Map<String, Object> ratios = new LinkedHashMap<>();
        Map<String, Object> reached = new LinkedHashMap<>();
        for (Goal goal : goals) {
            worst(goal)
                    .ifPresent(
                            worst -> {
                                ratios.put(goal.key(), worst.value());
                                Map<String, Object> one = new LinkedHashMap<>();
                                one.put(goal.atMost() ? "at_most" : "at_least", goal.bound());
                                one.put("worst_case", worst.name());
                                one.put("met", isMet(goal, worst));
                                reached.put(goal.key(), one);
                            });
        }
        Map<String, Object> all = new LinkedHashMap<>(circumstances);
        all.put("rows", written);
        all.put("refused", refused);
        all.put("ratios", ratios);
        all.put("goals", reached);
        new ObjectMapper()
                .enable(SerializationFeature.INDENT_OUTPUT)
                .writeValue(file.toFile(), all);
    }

    private static double median(List<Double> values) {
        List<Double> sorted = values.stream().sorted().toList();
        int middle = sorted.size() / 2;
        return sorted.size() % 2 == 1
                ? sorted.get(middle)
                : (sorted.get(middle - 1) + sorted.get(middle)) / 2;
    }

    private static String text(double value) {
        return value < 100 ? "%.1f".formatted(value) : "%.0f".formatted(value);
    }
}
