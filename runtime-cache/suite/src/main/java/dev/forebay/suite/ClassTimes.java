package dev.forebay.suite;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.OptionalDouble;
import java.util.stream.Stream;

/**
 * The times of classes and jobs in an earlier run, and how much of them was processor time. The
 * runner starts the longest first, and runs those that mostly wait beside the others.
 */
final class ClassTimes {
    /** The time of a class or job that never ran: in the middle of the usual times. */
    private static final double UNKNOWN_SECONDS = 5;

    /** Work that mostly waits uses at most this share of one processor. */
    private static final double MOST_OF_WHAT_WAITS = 0.25;

    private record Time(double seconds, double cpuSeconds) {}

    private final Map<String, Time> times;

    private ClassTimes(Map<String, Time> times) {
        this.times = times;
    }

    /** Reads the files that exist. If several files have a class, the last one counts. */
    static ClassTimes read(Path... files) throws IOException {
        Map<String, Time> times = new HashMap<>();
        for (Path file : files) {
            if (!Files.exists(file)) {
                continue;
            }
            for (String line : Files.readAllLines(file)) {
                String[] fields = line.split("\t", -1);
                if (fields.length == 4) {
                    times.put(
                            fields[3],
                            new Time(Double.parseDouble(fields[0]), Double.parseDouble(fields[1])));
                }
            }
        }
        return new ClassTimes(times);
    }

    double seconds(Work work) {
        Time known = times.get(work.key());
        return known == null ? UNKNOWN_SECONDS : known.seconds;
    }

    /** Returns the processor seconds of the earlier run, or empty if there was none. */
    OptionalDouble cpuSeconds(String key) {
        Time known = times.get(key);
        return known == null ? OptionalDouble.empty() : OptionalDouble.of(known.cpuSeconds);
    }

    /** Returns whether the work waits most of the time, for a timeout, a lease or a disk. */
    boolean waits(Work work) {
        Time known = times.get(work.key());
        return known != null && known.cpuSeconds <= known.seconds * MOST_OF_WHAT_WAITS;
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
