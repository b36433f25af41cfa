package dev.forebay.lake.s3;

import static org.assertj.core.api.Assertions.assertThat;

import dev.forebay.model.ErrorCode;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;
import software.amazon.awssdk.awscore.exception.AwsErrorDetails;
import software.amazon.awssdk.services.s3.model.S3Exception;

class S3FailureTest {

    private static S3Failure failure(S3Failure.Request request, int status, String code) {
        AwsErrorDetails details = AwsErrorDetails.builder().errorCode(code).build();
        return S3Failure.of(
                request, S3Exception.builder().statusCode(status).awsErrorDetails(details).build());
    }

    /** S3 has a status for these that is otherwise for requests that make no sense. */
    @ParameterizedTest
    @ValueSource(strings = {"ExpiredToken", "InvalidToken", "TokenRefreshRequired"})
    void spentCredentialsAreNotTriedAgain(String code) {
        S3Failure failure = failure(S3Failure.Request.READ, 400, code);
        assertThat(failure.code()).isEqualTo(ErrorCode.LAKE_DENIED);
        assertThat(failure.retry()).isFalse();
        assertThat(failure.why()).contains(code);
    }

    @ParameterizedTest
    @EnumSource(S3Failure.Request.class)
    void aTimeOutOfTheStoreIsTriedAgain(S3Failure.Request request) {
        S3Failure failure = failure(request, 400, "RequestTimeout");
        assertThat(failure.code()).isEqualTo(ErrorCode.LAKE_UNAVAILABLE);
        assertThat(failure.retry()).isTrue();
    }

    @ParameterizedTest
    @ValueSource(strings = {"InvalidRequest", "KMS.DisabledException"})
    void anObjectWhoseKeyIsNotToBeHadIsRefused(String code) {
        S3Failure failure = failure(S3Failure.Request.READ, 400, code);
        assertThat(failure.code()).isEqualTo(ErrorCode.LAKE_DENIED);
        assertThat(failure.retry()).isFalse();
    }

    @Test
    void anyOtherBadRequestIsNotTriedAgain() {
        S3Failure failure = failure(S3Failure.Request.READ, 400, "MalformedXML");
        assertThat(failure.code()).isEqualTo(ErrorCode.LAKE_UNAVAILABLE);
        assertThat(failure.retry()).isFalse();
    }
}
