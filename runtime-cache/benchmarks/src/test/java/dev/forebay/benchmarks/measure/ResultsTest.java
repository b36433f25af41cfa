package dev.forebay.benchmarks.measure;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import java.io.IOException;
import java.nio.file.Path;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class ResultsTest {
    private static final String SEQUENTIAL = "seq_1m_t1_buffered_disk";
    private static final String DIRECT = "rand_4k_t1_direct_disk";

    @TempDir Path directory;

    private final Results results = new Results();

    private JsonNode written() throws IOException {
        Path file = directory.resolve("results.json");
        results.write(file, Map.of());
        return new ObjectMapper().readTree(file.toFile());
    }

    private void add(String name, BenchmarkedSystem contender, double rate, double cpu) {
        results.add(name, contender.label(), "MB/s", rate, cpu);
    }

    @Test
    void theCpuGoalRatesTheWorstCaseOfTheNativeView() throws Exception {
        for (double cpu : new double[] {0.25, 4, 0.75}) {
            add(SEQUENTIAL, BenchmarkedSystem.NATIVE, 100, cpu);
            add(SEQUENTIAL, BenchmarkedSystem.RAW, 100, 0.5);
        }
        add(DIRECT, BenchmarkedSystem.NATIVE_LOOPS, 50, 1);
        add(DIRECT, BenchmarkedSystem.RAW, 100, 2);
        // This goal does not cover these cases.
        add("small_t1_disk", BenchmarkedSystem.NATIVE, 100, 9);
        add("small_t1_disk", BenchmarkedSystem.RAW, 100, 1);

        JsonNode written = written();

        assertThat(written.at("/ratios/cpu_ratio").asDouble()).isCloseTo(1.5, within(1e-9));
        assertThat(written.at("/goals/cpu_ratio/worst_case").asText()).isEqualTo(SEQUENTIAL);
        assertThat(written.at("/goals/cpu_ratio/at_most").asDouble()).isEqualTo(1.1);
        assertThat(written.at("/goals/cpu_ratio/met").asBoolean(true)).isFalse();
        assertThat(results.goals().lines())
                .anyMatch(line -> line.startsWith("| `cpu_ratio` | ≤ 1.1 | "));
        // Rates belong to other goals: equal in sequence, half as fast with O_DIRECT.
        assertThat(written.at("/ratios/warm_seq").asDouble()).isCloseTo(1, within(1e-9));
        assertThat(written.at("/ratios/warm_rand").asDouble()).isCloseTo(0.5, within(1e-9));
    }

    @Test
    void aCaseWithoutCpuTimeHasNoCpuRatio() throws Exception {
        results.add(SEQUENTIAL, BenchmarkedSystem.NATIVE.label(), "MB/s", 100);
        results.add(SEQUENTIAL, BenchmarkedSystem.RAW.label(), "MB/s", 100);

        JsonNode written = written();

        assertThat(written.at("/ratios").has("warm_seq")).isTrue();
        assertThat(written.at("/ratios").has("cpu_ratio")).isFalse();
    }
}
