package dev.forebay.worker;

import static org.assertj.core.api.Assertions.assertThat;

import dev.forebay.lake.LakeObject;
import dev.forebay.transfer.Coverage;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.condition.EnabledIfSystemProperty;

/**
 * Measures the time that a worker takes to report its coverage of a large version. The worker has
 * nothing of most chunks: other workers of the region have them, or they are not filled yet.
 */
@EnabledIfSystemProperty(named = "forebay.coverage-cost.objects", matches = "\\d+")
class CoverageCostIT extends RunningWorker {

    private static final int OBJECTS = Integer.getInteger("forebay.coverage-cost.objects", 0);
    private static final int ROUNDS = 5;

    @Test
    @Timeout(600)
    void measureCoverageOfALargeVersion() throws Exception {
        TestVersion version =
                region.mountListed(
                        "large",
                        "large/",
                        writer -> {
                            for (int i = 0; i < OBJECTS; i++) {
                                writer.add(
                                        new LakeObject(
                                                "large/%010d".formatted(i),
                                                MIB,
                                                Instant.EPOCH,
                                                "%032x".formatted(i),
                                                null));
                            }
                        });
        WorkerProcess own = ownWorker("large");
        awaitMounted(own, version);

        List<String> seconds = new ArrayList<>();
        for (int i = 0; i < ROUNDS; i++) {
            long began = System.nanoTime();
            Coverage coverage = client.coverage(own.node(), version.ref().digest());
            seconds.add("%.2f".formatted((System.nanoTime() - began) / 1e9));
            assertThat(coverage.chunks()).isEqualTo(version.ref().chunks());
            assertThat(coverage.held().isEmpty()).isTrue();
        }

        BenchOutput.say(
                "coverage of %,d objects in %,d chunks, of which none is here: %s s"
                        .formatted(OBJECTS, version.ref().chunks(), String.join(", ", seconds)));
    }
}
