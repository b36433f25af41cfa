package dev.forebay.suite;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.stream.Stream;

/** How long classes and jobs took in an earlier run: the longest are started first. */
final class Times {
    /** For what never ran: in the middle of what is seen. */
    private static final double UNKNOWN_SECONDS = 5;

    private final Map<String, Double> seconds;

    private Times(Map<String, Double> seconds) {
        this.seconds = seconds;
    }

    /** Reads files that are there; of two that know a class the later one counts. */
    static Times read(Path... files) throws IOException {
        Map<String, Double> seconds = new HashMap<>();
        for (Path file : files) {
            if (!Files.exists(file)) {
                continue;
            }
            for (String line : Files.readAllLines(file)) {
                String[] fields = line.split("\t", -1);
                if (fields.length == 4) {
                    seconds.put(fields[3], Double.parseDouble(fields[0]));
                }
            }
        }
        return new Times(seconds);
    }

    double seconds(Work work) {
        return seconds.getOrDefault(work.key(), UNKNOWN_SECONDS);
    }

    /** Writes the times of a run, the longest first, below a line that sums them up. */
    static void write(Path file, String summary, List<ClassResult> results) throws IOException {
        Stream<String> lines =
                results.stream()
                        .sorted(Comparator.comparingDouble(ClassResult::seconds).reversed())
                        .map(
                                result ->
                                        String.format(
                                                Locale.ROOT,
                                                "%.1f\t%.1f\t%s\t%s",
                                                result.seconds(),
                                                result.cpuSeconds(),
                                                result.module(),
                                                result.name()));
        Stream<String> head =
                Stream.of(
                        "# " + summary,
                        "# wall-clock seconds, processor seconds, module, class; tabs between them");
        Files.write(file, Stream.concat(head, lines).toList());
    }
}
