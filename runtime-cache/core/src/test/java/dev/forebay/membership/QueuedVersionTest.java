package dev.forebay.membership;

import static org.assertj.core.api.Assertions.assertThat;

import dev.forebay.model.DatasetVersion;
import dev.forebay.model.Digest;
import dev.forebay.model.ManifestRef;
import java.time.Instant;
import java.util.List;
import org.junit.jupiter.api.Test;

class QueuedVersionTest {

    private static final Instant NOON = Instant.parse("2026-11-20T12:00:00Z");

    @Test
    void anInteractiveRequestPrecedesASpeculativeOneThatWaitedLonger() {
        QueuedVersion hint = queued("a/hint@v1", 1, -3600);
        QueuedVersion job = queued("a/job@v1", 0, 0);

        assertThat(QueuedVersion.inOrder(List.of(hint, job), _ -> 0)).containsExactly(job, hint);
    }

    @Test
    void theQueueOrdersByNamespaceUsageThenByWaitingTime() {
        QueuedVersion rich = queued("rich/a@v1", 0, -100);
        QueuedVersion poor = queued("poor/a@v1", 0, -10);
        QueuedVersion poorer = queued("poor/b@v1", 0, -20);

        assertThat(
                        QueuedVersion.inOrder(
                                List.of(rich, poor, poorer),
                                namespace -> namespace.equals("rich") ? 100 : 99))
                .containsExactly(poorer, poor, rich);
    }

    @Test
    void theOrderDoesNotDependOnTheInputOrder() {
        QueuedVersion a = queued("t/a@v1", 0, 0);
        QueuedVersion b = queued("t/b@v1", 0, 0);

        assertThat(QueuedVersion.inOrder(List.of(b, a), _ -> 0)).containsExactly(a, b);
    }

    private static QueuedVersion queued(String version, int rank, long seconds) {
        return new QueuedVersion(
                DatasetVersion.parse(version),
                new ManifestRef("s3://m/k", new Digest("a".repeat(64)), 1, 1, 1),
                1,
                rank,
                NOON.plusSeconds(seconds),
                false,
                "");
    }
}
