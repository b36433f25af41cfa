package dev.forebay.benchmarks;

import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.SerializationFeature;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/** What was measured: a row for each case and system, with all its rounds. */
final class Results {
    /** The system all ratios are of; the other one of a case is what it is compared with. */
    static final String FOREBAY = "forebay";

    private record Key(String name, String system, String unit) {}

    private final Map<Key, List<Double>> rounds = new LinkedHashMap<>();

    void add(String name, String system, String unit, double value) {
        rounds.computeIfAbsent(new Key(name, system, unit), key -> new ArrayList<>()).add(value);
    }

    /** A Markdown table. */
    String table() {
        StringBuilder table =
                new StringBuilder("| case | system | unit | rounds | median | ratio |\n");
        table.append("|---|---|---|---|---:|---:|\n");
        rounds.forEach(
                (key, values) -> {
                    Map<String, Double> ratios = key.system().equals(FOREBAY) ? ratios() : Map.of();
                    Double ratio = ratios.get(key.name());
                    table.append(
                            "| %s | %s | %s | %s | %s | %s |%n"
                                    .formatted(
                                            key.name(),
                                            key.system(),
                                            key.unit(),
                                            String.join(
                                                    ", ",
                                                    values.stream().map(Results::text).toList()),
                                            text(median(values)),
                                            ratio == null ? "" : "%.2f".formatted(ratio)));
                });
        return table.toString();
    }

    void write(Path file, Map<String, Object> circumstances) throws IOException {
        List<Map<String, Object>> rows = new ArrayList<>();
        rounds.forEach(
                (key, values) ->
                        rows.add(
                                Map.of(
                                        "case", key.name(),
                                        "system", key.system(),
                                        "unit", key.unit(),
                                        "rounds", values,
                                        "median", median(values))));
        Map<String, Object> all = new LinkedHashMap<>(circumstances);
        all.put("rows", rows);
        all.put("ratios", ratios());
        new ObjectMapper()
                .enable(SerializationFeature.INDENT_OUTPUT)
                .writeValue(file.toFile(), all);
    }

    /** Forebay's median over the other system's, for cases that both have. */
    private Map<String, Double> ratios() {
        Map<String, Double> ours = new LinkedHashMap<>();
        Map<String, Double> ratios = new LinkedHashMap<>();
        rounds.forEach(
                (key, values) -> {
                    if (key.system().equals(FOREBAY)) {
                        ours.put(key.name(), median(values));
                    }
                });
        rounds.forEach(
                (key, values) -> {
                    Double own = ours.get(key.name());
                    if (own != null && !key.system().equals(FOREBAY)) {
                        ratios.put(key.name(), own / median(values));
                    }
                });
        return ratios;
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
