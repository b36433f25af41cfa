package dev.forebay.benchmarks;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Instant;
import java.util.LinkedHashMap;
import java.util.Map;

/** What else a reader of figures must know: the machine, and how busy it was. */
final class Circumstances {

    private Circumstances() {}

    /** Those of now, in the order to write them; add what is particular to the benchmark. */
    static Map<String, Object> atStart() throws IOException {
        Map<String, Object> all = new LinkedHashMap<>();
        all.put("at", Instant.now().toString());
        all.put("cpus", Runtime.getRuntime().availableProcessors());
        all.put("kernel", System.getProperty("os.version"));
        all.put("java", Runtime.version().toString());
        all.put("load_average_at_start", loadAverage());
        return all;
    }

    static void atEnd(Map<String, Object> all) throws IOException {
        all.put("load_average_at_end", loadAverage());
    }

    private static String loadAverage() throws IOException {
        return Files.readString(Path.of("/proc/loadavg")).strip();
    }
}
