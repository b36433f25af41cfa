package dev.forebay.membership;

import static org.assertj.core.api.Assertions.assertThat;

import dev.forebay.model.DatasetVersion;
import dev.forebay.model.Digest;
import dev.forebay.model.ManifestRef;
import java.time.Instant;
import java.util.List;
import org.junit.jupiter.api.Test;

class ApplicantTest {

    private static final Instant NOON = Instant.parse("2026-11-20T12:00:00Z");

    @Test
    void anInteractiveRequestPrecedesASpeculativeOneThatWaitedLonger() {
        Applicant hint = applicant("a/hint@v1", 1, -3600);
        Applicant job = applicant("a/job@v1", 0, 0);

        assertThat(Applicant.inOrder(List.of(hint, job), _ -> 0)).containsExactly(job, hint);
    }

    @Test
    void theQueueOrdersByNamespaceUsageThenByWaitingTime() {
        Applicant rich = applicant("rich/a@v1", 0, -100);
        Applicant poor = applicant("poor/a@v1", 0, -10);
        Applicant poorer = applicant("poor/b@v1", 0, -20);

        assertThat(
                        Applicant.inOrder(
                                List.of(rich, poor, poorer),
                                namespace -> namespace.equals("rich") ? 100 : 99))
                .containsExactly(poorer, poor, rich);
    }

    @Test
    void theOrderDoesNotDependOnTheInputOrder() {
        Applicant a = applicant("t/a@v1", 0, 0);
        Applicant b = applicant("t/b@v1", 0, 0);

        assertThat(Applicant.inOrder(List.of(b, a), _ -> 0)).containsExactly(a, b);
    }

    private static Applicant applicant(String version, int rank, long seconds) {
        return new Applicant(
                DatasetVersion.parse(version),
                new ManifestRef("s3://m/k", new Digest("a".repeat(64)), 1, 1, 1),
                1,
                rank,
                NOON.plusSeconds(seconds),
                false,
                "");
    }
}
