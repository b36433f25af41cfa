package dev.forebay.model;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class SecondsTest {

    @ParameterizedTest
    @CsvSource({
        "PT30S, 30 s",
        "PT0S, 0 s",
        "PT0.05S, 0.05 s",
        "PT1.5S, 1.5 s",
        "PT-1S, -1 s",
        "PT0.0004S, 0 s",
        "PT20M, 1200 s",
        "P8D, 691200 s"
    })
    void aDurationIsFormattedInSeconds(Duration duration, String text) {
        assertThat(Seconds.of(duration)).isEqualTo(text);
    }
}
