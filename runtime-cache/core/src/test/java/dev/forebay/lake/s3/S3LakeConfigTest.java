package dev.forebay.lake.s3;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.forebay.model.ErrorCode;
import dev.forebay.model.ForebayException;
import java.net.URI;
import java.time.Duration;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class S3LakeConfigTest {

    @ParameterizedTest
    @CsvSource({
        "endpoint, foo",
        "endpoint, s3://bucket",
        "endpoint, http:/no-host",
        "sts-endpoint, 10.0.0.1",
        "region, ' '",
        "connect-timeout, PT-5S",
        "idle-timeout, PT0S",
        "attempt-timeout, PT25H",
        "slowest-rate, 0",
        "attempts, 0",
        "attempts, 2147483647"
    })
    void anInvalidSettingIsRefusedByItsName(String setting, String value) {
        assertThatThrownBy(() -> with(setting, value))
                .isInstanceOfSatisfying(
                        ForebayException.class,
                        e -> assertThat(e.code()).isEqualTo(ErrorCode.INVALID_ARGUMENT))
                .hasMessageStartingWith("forebay.lake." + setting + " is ")
                .hasMessageContaining(": it must ");
    }

    @Test
    void validSettingsAreAccepted() {
        assertThat(with("endpoint", "HTTPS://lake:9000/below").endpoint()).isNotNull();
        assertThat(S3LakeConfig.of(null, "us-east-1", false).attempts()).isEqualTo(5);
    }

    private static S3LakeConfig with(String setting, String value) {
        return new S3LakeConfig(
                setting.equals("endpoint") ? URI.create(value) : null,
                setting.equals("region") ? value : "us-east-1",
                true,
                setting.equals("sts-endpoint") ? URI.create(value) : null,
                BucketAccess.USUAL,
                64,
                time(setting, "connect-timeout", value),
                time(setting, "idle-timeout", value),
                time(setting, "attempt-timeout", value),
                setting.equals("slowest-rate") ? Long.parseLong(value) : 1,
                setting.equals("attempts") ? Integer.parseInt(value) : 5);
    }

    private static Duration time(String setting, String its, String value) {
        return setting.equals(its) ? Duration.parse(value) : Duration.ofSeconds(5);
    }
}
