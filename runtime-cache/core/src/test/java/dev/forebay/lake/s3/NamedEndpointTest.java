package dev.forebay.lake.s3;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.forebay.lake.LakeEvents;
import dev.forebay.model.ErrorCode;
import dev.forebay.model.ForebayException;
import java.net.URI;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class NamedEndpointTest {

    @Test
    void theVariableOfTheServiceWins() {
        Map<String, String> environment =
                Map.of(
                        "AWS_ENDPOINT_URL", "http://all.example",
                        "AWS_ENDPOINT_URL_S3", "http://127.0.0.1:9000");
        assertThat(NamedEndpoint.of("S3", environment))
                .contains(URI.create("http://127.0.0.1:9000"));
        assertThat(NamedEndpoint.of("STS", environment)).contains(URI.create("http://all.example"));
    }

    @Test
    void thereIsNoneIfTheVariableIsEmptyOrIgnored() {
        assertThat(NamedEndpoint.of("S3", Map.of("AWS_ENDPOINT_URL_S3", " "))).isEmpty();
        assertThat(
                        NamedEndpoint.of(
                                "S3",
                                Map.of(
                                        "AWS_ENDPOINT_URL_S3", "http://127.0.0.1:9000",
                                        "AWS_IGNORE_CONFIGURED_ENDPOINT_URLS", "true")))
                .isEmpty();
    }

    /** Before any request, and with the variable's name. */
    @ParameterizedTest
    @ValueSource(strings = {"lake.example", "http://", "http://a b"})
    void anInvalidAddressIsRefused(String value) {
        S3LakeConfig config = S3LakeConfig.of(null, "us-east-1", false);
        assertThatThrownBy(
                        () ->
                                S3Lake.open(
                                        config,
                                        LakeEvents.NONE,
                                        Map.of("AWS_ENDPOINT_URL_S3", value)))
                .isInstanceOfSatisfying(
                        ForebayException.class,
                        e -> assertThat(e.code()).isEqualTo(ErrorCode.INVALID_ARGUMENT))
                .hasMessageContaining("AWS_ENDPOINT_URL_S3 is " + value);
    }

    /** No proxy could reach an address of this machine. */
    @Test
    void requestsToALocalAddressBypassTheProxy() {
        Map<String, String> environment =
                Map.of(
                        "AWS_ENDPOINT_URL_S3", "http://127.0.0.1:9000",
                        "HTTP_PROXY", "nonsense://",
                        "HTTPS_PROXY", "nonsense://");
        S3Lake.open(S3LakeConfig.of(null, "us-east-1", false), LakeEvents.NONE, environment)
                .close();
    }
}
