package dev.forebay.workflows.version;

import static org.assertj.core.api.Assertions.assertThat;

import dev.forebay.model.ErrorCode;
import dev.forebay.workflows.FakeControlPlane;
import dev.forebay.workflows.Platform;
import dev.forebay.workflows.message.PinGrant;
import dev.forebay.workflows.message.Problem;
import dev.forebay.workflows.message.Residency;
import dev.forebay.workflows.message.Residency.Filling;
import dev.forebay.workflows.message.Residency.State;
import dev.forebay.workflows.message.VersionStatus;
import dev.forebay.workflows.pin.VersionPins;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

class StatusMarkdownTest {

    private static final Instant NOON = Instant.parse("2026-11-20T12:00:00Z");

    @Test
    void showsRegionsProblemsAndPins() {
        VersionStatus status =
                new VersionStatus(
                        Platform.VERSION,
                        FakeControlPlane.MANIFEST,
                        Duration.ofHours(1),
                        List.of(
                                new Residency(
                                        Platform.AP,
                                        State.BLOCKED,
                                        250,
                                        250,
                                        "/mnt/x",
                                        null,
                                        null,
                                        new Problem(ErrorCode.LAKE_DENIED, "no | access"),
                                        2,
                                        null,
                                        0),
                                new Residency(
                                        Platform.US,
                                        State.CACHED,
                                        1_000,
                                        900,
                                        "/mnt/x",
                                        NOON,
                                        NOON.plusSeconds(60),
                                        null,
                                        7,
                                        null,
                                        0)),
                        List.of(new PinGrant(Platform.AP, "p", "a|b\n<c>", "training", NOON)));

        assertThat(StatusMarkdown.of(status, NOON))
                .isEqualTo(
                        """
                        **team/digits@v1**: 7 objects, 1,000 bytes, manifest `abababababab`; kept for 1h after the last pin

                        | region | state | coverage | bytes | objects | from the lake | rate | evictable at |
                        |---|---|---|---|---|---|---|---|
                        | ap-1 | BLOCKED | 25 % | 250 | 2 | 250 |  |  |
                        | us-1 | CACHED | 100 % | 1,000 | 7 | 900 |  | 2026-11-20T12:01:00Z |

                        **ap-1 is blocked** by LAKE_DENIED: no \\| access

                        | pin | region | owner | reason | ends not before |
                        |---|---|---|---|---|
                        | p | ap-1 | a\\|b \\<c\\> | training | 2026-11-20T12:00:00Z |""");
        assertThat(StatusMarkdown.of(status, NOON.plusSeconds(60))).contains("| EXPIRED |");
    }

    @Test
    void showsThePaceOfAFillAndAtMost99PercentBeforeConfirmation() {
        Residency warming =
                new Residency(
                        Platform.US,
                        State.WARMING,
                        1_000,
                        900,
                        "/mnt/x",
                        null,
                        null,
                        null,
                        7,
                        new Filling(NOON, 500),
                        0);
        VersionStatus status =
                new VersionStatus(
                        Platform.VERSION,
                        FakeControlPlane.MANIFEST,
                        Duration.ofHours(1),
                        List.of(warming),
                        List.of());
        assertThat(StatusMarkdown.of(status, NOON.plusSeconds(10)))
                .contains("| us-1 | WARMING | 99 % | 1,000 | 7 | 900 | 50 bytes/s, 0 s left |  |");
    }

    @Test
    void staysShortWithManyPins() {
        List<PinGrant> pins =
                IntStream.range(0, VersionPins.MOST_PINS)
                        .mapToObj(
                                i ->
                                        new PinGrant(
                                                Platform.US,
                                                "p" + i,
                                                "|".repeat(200),
                                                "|".repeat(200),
                                                NOON))
                        .toList();
        String markdown =
                StatusMarkdown.of(
                        new VersionStatus(
                                Platform.VERSION, null, Duration.ofDays(3), List.of(), pins),
                        NOON);
        assertThat(markdown).contains("not ingested yet", "and 980 more");
        assertThat(markdown.length()).isLessThan(20_000);
    }
}
