package dev.forebay.control.pins;

import static org.assertj.core.api.Assertions.assertThat;

import dev.forebay.model.DatasetVersion;
import dev.forebay.model.RegionName;
import dev.forebay.workflows.message.PinGrant;
import dev.forebay.workflows.message.VersionStatus;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import org.junit.jupiter.api.Test;

class PinExpiriesTest {

    private static final Instant NOW = Instant.parse("2026-11-21T00:00:00Z");

    @Test
    void newestTakesTheLaterExpiryOfEachPin() {
        VersionStatus live = status(pin("a", 10), pin("b", 10), pin("c", 10));
        VersionStatus known = status(pin("a", 20), pin("b", 5));

        assertThat(PinExpiries.newest(live, known).pins())
                .containsExactly(pin("a", 20), pin("b", 10), pin("c", 10));
    }

    @Test
    void aPinThatTheWorkflowDoesNotKnowHasEnded() {
        assertThat(PinExpiries.newest(status(), status(pin("a", 20))).pins()).isEmpty();
    }

    private static PinGrant pin(String id, int seconds) {
        return new PinGrant(new RegionName("r"), id, "me", "", NOW.plusSeconds(seconds));
    }

    private static VersionStatus status(PinGrant... pins) {
        return new VersionStatus(
                DatasetVersion.parse("a/b@c"), null, Duration.ofDays(1), List.of(), List.of(pins));
    }
}
