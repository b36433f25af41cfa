package dev.forebay.chart;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Set;
import java.util.TreeSet;
import java.util.regex.MatchResult;
import java.util.regex.Pattern;

/** The metrics in the tables of docs/metrics.md, by their Prometheus names. */
final class DocumentedMetrics {

    private static final Pattern QUOTED = Pattern.compile("`([a-z0-9_]+)`");

    /** Matches names of metrics. Prometheus itself provides {@code up}. */
    private static final Pattern METRIC =
            Pattern.compile("\\b(?:forebay|etcd|http|jvm|process|system)_[a-z0-9_]+");

    private static final int NAME = 1;
    private static final int TYPE = 2;

    private final Set<String> names;

    private DocumentedMetrics(Set<String> names) {
        this.names = names;
    }

    static DocumentedMetrics read() throws IOException {
        Set<String> names = new TreeSet<>();
        for (String line : Files.readAllLines(Path.of("../docs/metrics.md"))) {
            String[] cells = line.split("\\|", -1);
            if (cells.length <= TYPE) {
                continue;
            }
            boolean timer = cells[TYPE].strip().equals("timer");
            QUOTED.matcher(cells[NAME])
                    .results()
                    .map(found -> found.group(1))
                    .forEach(
                            name -> {
                                if (timer) {
                                    names.addAll(
                                            Set.of(name + "_count", name + "_sum", name + "_max"));
                                } else {
                                    names.add(name);
                                }
                            });
        }
        assertThat(names).contains("forebay_worker_requests_seconds_count", "forebay_fuse_serving");
        return new DocumentedMetrics(names);
    }

    /** Returns the metrics in an expression. */
    static Set<String> in(String expression) {
        Set<String> found = new TreeSet<>();
        METRIC.matcher(expression).results().map(MatchResult::group).forEach(found::add);
        return found;
    }

    /** Asserts that an expression has a metric, and that all its metrics are documented. */
    void assertKnow(String expression) {
        assertThat(in(expression)).as(expression).isNotEmpty().isSubsetOf(names);
    }
}
