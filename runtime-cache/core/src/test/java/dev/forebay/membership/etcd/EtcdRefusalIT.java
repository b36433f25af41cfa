package dev.forebay.membership.etcd;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import dev.forebay.devstack.server.EtcdServer;
import dev.forebay.membership.Pin;
import dev.forebay.membership.RegionState;
import dev.forebay.model.DatasetVersion;
import dev.forebay.model.ErrorCode;
import dev.forebay.model.ForebayException;
import dev.forebay.model.RegionName;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Tests "What etcd answers" against a real etcd. */
class EtcdRefusalIT {

    @TempDir Path directory;

    @Test
    void anEtcdThatRequiresUsersFailsWithDenied() throws Exception {
        try (EtcdServer etcd = EtcdServer.start(directory)) {
            auth(etcd, "user/add", "{\"name\":\"root\",\"password\":\"x\"}");
            auth(etcd, "user/grant", "{\"user\":\"root\",\"role\":\"root\"}");
            try (RegionState region =
                    EtcdRegionState.connect(
                            EtcdConfig.of(List.of(etcd.endpoint()))
                                    .withRequestTimeout(Duration.ofSeconds(30)),
                            new RegionName("r1"))) {
                DatasetVersion version = DatasetVersion.of("ns", "data", "v1");
                region.mount(version, RegionOnEtcd.manifest('a'));
                auth(etcd, "enable", "{}");
                assertThatExceptionOfType(ForebayException.class)
                        .isThrownBy(() -> region.mount(version, RegionOnEtcd.manifest('b')))
                        .withMessageContaining("user name is empty")
                        .withMessageContaining("forebay.etcd.tls.certificate")
                        .matches(e -> e.code() == ErrorCode.DENIED && !e.retryable());
            }
        }
    }

    @ParameterizedTest
    @CsvSource({"1700000, request is too large", "2100000, larger than max"})
    void aRequestTooLargeForEtcdIsNotRetryable(int bytes, String said) {
        try (EtcdServer etcd = EtcdServer.start(directory);
                RegionState region =
                        EtcdRegionState.connect(
                                EtcdConfig.of(List.of(etcd.endpoint()))
                                        .withRequestTimeout(Duration.ofSeconds(30)),
                                new RegionName("r1"))) {
            DatasetVersion version = DatasetVersion.of("ns", "data", "v1");
            region.mount(version, RegionOnEtcd.manifest('a'));
            String text = "x".repeat(bytes);
            assertThatExceptionOfType(ForebayException.class)
                    .isThrownBy(
                            () ->
                                    region.pin(
                                            new Pin(
                                                    version,
                                                    "p",
                                                    "me",
                                                    text,
                                                    Duration.ofMinutes(1))))
                    .withMessageContaining(said)
                    .matches(e -> e.code() == ErrorCode.INTERNAL && !e.retryable());
        }
    }

    private static void auth(EtcdServer etcd, String call, String body) throws Exception {
        HttpRequest request =
                HttpRequest.newBuilder(URI.create(etcd.endpoint() + "/v3/auth/" + call))
                        .POST(BodyPublishers.ofString(body))
                        .build();
        try (HttpClient http = HttpClient.newHttpClient()) {
            assertThat(http.send(request, BodyHandlers.ofString()).statusCode()).isEqualTo(200);
        }
    }
}
