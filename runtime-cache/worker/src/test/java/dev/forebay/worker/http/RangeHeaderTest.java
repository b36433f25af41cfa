package dev.forebay.worker.http;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class RangeHeaderTest {

    @Test
    void readsAClosedRange() {
        assertThat(RangeHeader.parse("bytes=0-65535")).isEqualTo(new RangeHeader(0, 65535));
    }

    @Test
    void readsAnOpenRange() {
        assertThat(RangeHeader.parse("bytes=8388608-"))
                .isEqualTo(new RangeHeader(8388608, Long.MAX_VALUE));
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "",
                "bytes",
                "bytes=",
                "bytes=-",
                "bytes=-5",
                "bytes=5-4",
                "bytes=0-1,3-4",
                "bytes=a-b",
                "bytes=+1-2",
                "bytes= 1-2",
                "items=0-1",
                "bytes=0-1-2",
                "bytes=9999999999999999999-",
                "bytes=0-9999999999999999999"
            })
    void refusesOtherFormsAndQuotesThem(String header) {
        assertThatThrownBy(() -> RangeHeader.parse(header))
                .isInstanceOfSatisfying(
                        Refusal.class,
                        refusal -> {
                            assertThat(refusal.status).isEqualTo(400);
                            assertThat(refusal.field).isEqualTo("Range");
                        })
                .hasMessageContaining("'" + header + "'")
                .hasMessageContaining("bytes=a-b");
    }

    @Test
    void saysThatARangeIsMissing() {
        assertThatThrownBy(() -> RangeHeader.parse(null)).hasMessageContaining("Range is missing");
    }
}
