package dev.forebay.membership.rows;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import dev.forebay.membership.NodeReport;
import dev.forebay.membership.Pin;
import dev.forebay.model.DatasetVersion;
import dev.forebay.model.ErrorCode;
import dev.forebay.model.ForebayException;
import dev.forebay.model.NodeName;
import java.time.Duration;
import java.util.Collections;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class RowsTest {

    private static final DatasetVersion VERSION = DatasetVersion.of("team", "digits", "v1");
    private static final String KEY = "pins/team/digits/v1/p";
    private static final String BEFORE =
            "{\"holder\":\"me\",\"reason\":\"why\",\"leaseSeconds\":60}";

    /** A client would fail each request to this worker, instead of using another one. */
    @ParameterizedTest
    @ValueSource(strings = {"http://10.0.0.1:-1", "http://10.0.0.1", "worker:7400", ""})
    void aWorkerWithAnInvalidAddressIsRefused(String address) {
        String value = "{\"address\":\"%s\",\"capacityBytes\":1}".formatted(address);
        assertThatExceptionOfType(ForebayException.class)
                .isThrownBy(() -> Rows.parse("workers/w-1", value.getBytes(UTF_8)))
                .withMessageContaining(address)
                .matches(e -> e.code() == ErrorCode.CORRUPT);
    }

    @Test
    void aPinWithoutAJobHasTheFormatOfEarlierReleases() {
        Pin pin = new Pin(VERSION, "p", "me", "why", Duration.ofMinutes(1));
        assertThat(new String(Rows.of(pin), UTF_8)).isEqualTo(BEFORE);
        assertThat(Rows.parse(KEY, BEFORE.getBytes(UTF_8))).isEqualTo(new Row.Pinned(pin));
    }

    @Test
    void aPinKeepsItsJob() {
        Pin pin = new Pin(VERSION, "p", "me", "", Duration.ofMinutes(1), "uid");
        assertThat(Rows.parse(KEY, Rows.of(pin))).isEqualTo(new Row.Pinned(pin));
    }

    @Test
    void aPinKeepsItsRenewedFlag() {
        Pin pin = new Pin(VERSION, "p", "me", "", Duration.ofMinutes(1)).asRenewed();
        assertThat(Rows.parse(KEY, Rows.of(pin))).isEqualTo(new Row.Pinned(pin));
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "{\"holder\":\"me\",\"reason\":\"why\"}",
                "{\"holder\":\"me\",\"leaseSeconds\":60}",
                "{\"holder\":null,\"reason\":\"why\",\"leaseSeconds\":60}"
            })
    void aPinWithoutARequiredMemberIsRefused(String value) {
        assertThatExceptionOfType(ForebayException.class)
                .isThrownBy(() -> Rows.parse(KEY, value.getBytes(UTF_8)))
                .matches(e -> e.code() == ErrorCode.CORRUPT);
    }

    @Test
    void aNodeRowContainsTheNamesOfItsVersions() {
        NodeName node = new NodeName("gpu-1");
        Rows.NodeRow row = new Rows.NodeRow("i", new NodeReport(node, List.of(VERSION)));
        String text = "{\"incarnation\":\"i\",\"versions\":[\"team/digits@v1\"]}";
        assertThat(new String(Rows.of(row), UTF_8)).isEqualTo(text);
        assertThat(Rows.node(node, text.getBytes(UTF_8))).isEqualTo(row);
    }

    @Test
    void aNodeRowWithTooManyVersionsIsRefused() {
        List<String> names = Collections.nCopies(NodeReport.MOST + 1, "\"team/digits@v1\"");
        String text = "{\"incarnation\":\"i\",\"versions\":%s}".formatted(names);
        assertThatExceptionOfType(ForebayException.class)
                .isThrownBy(() -> Rows.node(new NodeName("gpu-1"), text.getBytes(UTF_8)))
                .withMessageContaining("0 to 256")
                .matches(e -> e.code() == ErrorCode.CORRUPT);
    }
}
