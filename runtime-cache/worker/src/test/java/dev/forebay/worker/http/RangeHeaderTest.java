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
    void parseReportsAMissingRange() {
        assertThatThrownBy(() -> RangeHeader.parse(null)).hasMessageContaining("Range is missing");
    }

    @Test
    void readsManyRanges() {
        assertThat(RangeHeader.parseAll("bytes=0-1,3-4, 7-7"))
                .containsExactly(
                        new RangeHeader(0, 1), new RangeHeader(3, 4), new RangeHeader(7, 7));
        assertThat(RangeHeader.parseAll("bytes=5-"))
                .containsExactly(new RangeHeader(5, Long.MAX_VALUE));
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "bytes=0-1,",
                "bytes=,0-1",
                "bytes=0-1,bytes=3-4",
                "bytes=0-1,3-",
                "bytes=0-4194303,4194304-8388608"
            })
    void parseAllRefusesListsThatAreMalformedOrTooLong(String header) {
        assertThatThrownBy(() -> RangeHeader.parseAll(header)).isInstanceOf(Refusal.class);
    }

    @Test
    void parseAllRefusesTooManyRanges() {
        String ranges = "0-0,".repeat(63) + "0-0";
        assertThat(RangeHeader.parseAll("bytes=" + ranges)).hasSize(64);
        assertThatThrownBy(() -> RangeHeader.parseAll("bytes=" + ranges + ",0-0"))
                .isInstanceOf(Refusal.class);
    }
}
