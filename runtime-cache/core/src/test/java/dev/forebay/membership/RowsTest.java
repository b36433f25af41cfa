package dev.forebay.membership;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import dev.forebay.model.DatasetVersion;
import dev.forebay.model.ErrorCode;
import dev.forebay.model.ForebayException;
import java.time.Duration;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class RowsTest {

    private static final DatasetVersion VERSION = DatasetVersion.of("team", "digits", "v1");
    private static final String KEY = "pins/team/digits/v1/p";
    private static final String BEFORE =
            "{\"holder\":\"me\",\"reason\":\"why\",\"leaseSeconds\":60}";

    @Test
    void aPinOfNoJobIsWrittenAsItWasBeforeThereWereAny() {
        Pin pin = new Pin(VERSION, "p", "me", "why", Duration.ofMinutes(1));
        assertThat(new String(Rows.of(pin), UTF_8)).isEqualTo(BEFORE);
        assertThat(Rows.parse(KEY, BEFORE.getBytes(UTF_8))).isEqualTo(new Row.Pinned(pin));
    }

    @Test
    void aPinKeepsItsJob() {
        Pin pin = new Pin(VERSION, "p", "me", "", Duration.ofMinutes(1), "uid");
        assertThat(Rows.parse(KEY, Rows.of(pin))).isEqualTo(new Row.Pinned(pin));
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "{\"holder\":\"me\",\"reason\":\"why\"}",
                "{\"holder\":\"me\",\"leaseSeconds\":60}",
                "{\"holder\":null,\"reason\":\"why\",\"leaseSeconds\":60}"
            })
    void aPinThatLacksSomethingIsNotUnderstood(String value) {
        assertThatExceptionOfType(ForebayException.class)
                .isThrownBy(() -> Rows.parse(KEY, value.getBytes(UTF_8)))
                .matches(e -> e.code() == ErrorCode.CORRUPT);
    }
}
