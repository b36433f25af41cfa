package dev.forebay.control.temporal;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowable;

import com.google.protobuf.Any;
import dev.forebay.control.temporal.TemporalCalls.NoSuchRunException;
import dev.forebay.model.ErrorCode;
import dev.forebay.model.ForebayException;
import dev.forebay.service.ServiceConfig;
import dev.forebay.testing.Settings;
import dev.forebay.workflows.Failures;
import io.grpc.Status;
import io.grpc.StatusRuntimeException;
import io.grpc.protobuf.StatusProto;
import io.temporal.api.errordetails.v1.NamespaceNotFoundFailure;
import java.security.cert.CertificateException;
import java.time.Duration;
import java.util.Map;
import java.util.concurrent.CountDownLatch;
import javax.net.ssl.SSLHandshakeException;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class TemporalCallsTest {

    private final TemporalCalls calls =
            new TemporalCalls(
                    Settings.of(
                            ServiceConfig.class,
                            Map.of(
                                    "forebay.role", "control-plane",
                                    "forebay.temporal.target", "temporal:7233")));

    /** The rows of "What Temporal answers" in docs/failures.md. */
    @ParameterizedTest(name = "{0} {1}")
    @CsvSource(
            delimiter = '|',
            textBlock =
                    """
                    UNAVAILABLE         | io exception                                    | UNAVAILABLE | again
                    DEADLINE_EXCEEDED   | deadline exceeded after 2 s                     | UNAVAILABLE | again
                    CANCELLED           | call was cancelled                              | UNAVAILABLE | again
                    ABORTED             | shard has moved                                 | UNAVAILABLE | again
                    UNKNOWN             | unknown                                         | UNAVAILABLE | again
                    INTERNAL            | shard status unknown                            | UNAVAILABLE | again
                    RESOURCE_EXHAUSTED  | namespace rate limit exceeded                   | UNAVAILABLE | again
                    RESOURCE_EXHAUSTED  | limit on number of concurrent in-flight updates | UNAVAILABLE | again
                    RESOURCE_EXHAUSTED  | grpc: received message larger than max (5 vs 4) | INTERNAL    | final
                    FAILED_PRECONDITION | workflow task is not started                    | UNAVAILABLE | again
                    DATA_LOSS           | corrupt                                         | UNAVAILABLE | again
                    OUT_OF_RANGE        | out of range                                    | UNAVAILABLE | again
                    ALREADY_EXISTS      | exists                                          | UNAVAILABLE | again
                    PERMISSION_DENIED   | request unauthorized                            | DENIED      | final
                    UNAUTHENTICATED     | no certificate                                  | DENIED      | final
                    INVALID_ARGUMENT    | Blob data size exceeds limit                    | INTERNAL    | final
                    UNIMPLEMENTED       | unknown method ExecuteMultiOperation            | INTERNAL    | final
                    """)
    void eachStatusMapsToItsErrorCode(
            Status.Code status, String said, ErrorCode code, String again) {
        RuntimeException meaning =
                calls.translated(
                        new IllegalStateException(
                                status.toStatus().withDescription(said).asRuntimeException()));
        assertThat(meaning)
                .isInstanceOfSatisfying(
                        ForebayException.class,
                        failure -> {
                            assertThat(failure.code()).isEqualTo(code);
                            assertThat(failure.retryable()).isEqualTo(again.equals("again"));
                        })
                .hasMessageContaining(status.name())
                .hasMessageContaining(said)
                .hasMessageContaining("temporal:7233");
    }

    @Test
    void aMissingWorkflowBecomesNoSuchRunException() {
        assertThat(calls.translated(Status.NOT_FOUND.asRuntimeException()))
                .isInstanceOf(NoSuchRunException.class);
    }

    /** A Temporal that has just started creates its namespace a moment later. */
    @Test
    void aMissingNamespaceIsUnavailableAndNamesTheSetting() {
        StatusRuntimeException answer =
                StatusProto.toStatusRuntimeException(
                        com.google.rpc.Status.newBuilder()
                                .setCode(Status.Code.NOT_FOUND.value())
                                .addDetails(Any.pack(NamespaceNotFoundFailure.getDefaultInstance()))
                                .build());
        assertThat(calls.translated(answer))
                .isInstanceOfSatisfying(
                        ForebayException.class,
                        failure -> assertThat(failure.code()).isEqualTo(ErrorCode.UNAVAILABLE))
                .hasMessageContaining("forebay.temporal.namespace");
    }

    @Test
    void aCertificateFailureIsUnavailableAndNamesTheCause() {
        Throwable handshake =
                new SSLHandshakeException("bad").initCause(new CertificateException("NotAfter"));
        assertThat(calls.translated(Status.UNAVAILABLE.withCause(handshake).asRuntimeException()))
                .isInstanceOfSatisfying(
                        ForebayException.class,
                        failure -> assertThat(failure.code()).isEqualTo(ErrorCode.UNAVAILABLE))
                .hasMessageContaining("CertificateException: NotAfter");
    }

    @Test
    void theFailureOfAWorkflowKeepsItsCode() {
        assertThat(calls.translated(Failures.refusal(ErrorCode.PINNED, "held")))
                .isInstanceOfSatisfying(
                        ForebayException.class,
                        failure -> assertThat(failure.code()).isEqualTo(ErrorCode.PINNED));
    }

    @Test
    void aCallWithoutAnAnswerIsUnavailable() {
        CountDownLatch never = new CountDownLatch(1);
        assertThat(
                        catchThrowable(
                                () ->
                                        calls.call(
                                                Duration.ofMillis(1),
                                                () -> {
                                                    never.await();
                                                    return true;
                                                })))
                .isInstanceOfSatisfying(
                        ForebayException.class,
                        failure -> assertThat(failure.code()).isEqualTo(ErrorCode.UNAVAILABLE));
    }
}
