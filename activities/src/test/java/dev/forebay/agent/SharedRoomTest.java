package dev.forebay.agent;

import static org.assertj.core.api.Assertions.assertThat;

import dev.forebay.agent.SharedRoom.Part;
import java.util.List;
import org.junit.jupiter.api.Test;

/** What is shared is read from manifests in {@link SurveyTest}. */
class SharedRoomTest {

    private static final List<Part> PARTS =
            List.of(
                    new Part(List.of(0, 1), 9),
                    new Part(List.of(0), 5),
                    new Part(List.of(2), 2),
                    new Part(List.of(1), 1));

    @Test
    void theSmallestOfTooManyPartsComeBackWithTheLastVersionOnly() {
        assertThat(SharedRoom.bounded(PARTS, 3, 2))
                .containsExactly(PARTS.get(0), PARTS.get(1), new Part(List.of(0, 1, 2), 3));
        assertThat(SharedRoom.bounded(PARTS, 3, 4)).isEqualTo(PARTS);
    }
}
