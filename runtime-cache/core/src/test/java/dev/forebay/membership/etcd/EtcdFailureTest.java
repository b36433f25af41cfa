package dev.forebay.membership.etcd;

import static org.assertj.core.api.Assertions.assertThat;

import dev.forebay.model.ErrorCode;
import dev.forebay.model.ForebayException;
import io.etcd.jetcd.common.exception.EtcdExceptionFactory;
import io.grpc.Status;
import java.nio.channels.UnresolvedAddressException;
import java.security.cert.CertificateException;
import javax.net.ssl.SSLHandshakeException;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class EtcdFailureTest {

    /** The rows of "What etcd answers" in docs/failures.md, with the messages of etcd 3.6. */
    @ParameterizedTest(name = "{0} {1}")
    @CsvSource(
            delimiter = '|',
            textBlock =
                    """
                    UNAVAILABLE         | etcdserver: leader changed                     | UNAVAILABLE | again
                    UNAVAILABLE         | etcdserver: request timed out                  | UNAVAILABLE | again
                    UNAVAILABLE         | etcdserver: no leader                          | UNAVAILABLE | again
                    DEADLINE_EXCEEDED   | deadline exceeded                              | UNAVAILABLE | again
                    CANCELLED           | cancelled                                      | UNAVAILABLE | again
                    ABORTED             | aborted                                        | UNAVAILABLE | again
                    UNKNOWN             | unknown                                        | UNAVAILABLE | again
                    INTERNAL            | internal                                       | UNAVAILABLE | again
                    RESOURCE_EXHAUSTED  | etcdserver: mvcc: database space exceeded      | UNAVAILABLE | again
                    RESOURCE_EXHAUSTED  | etcdserver: too many requests                  | UNAVAILABLE | again
                    RESOURCE_EXHAUSTED  | gRPC message exceeds maximum size              | UNAVAILABLE | again
                    RESOURCE_EXHAUSTED  | grpc: received message larger than max (3 vs 2) | INTERNAL   | final
                    FAILED_PRECONDITION | etcdserver: not leader                         | UNAVAILABLE | again
                    DATA_LOSS           | etcdserver: corrupt cluster                    | UNAVAILABLE | again
                    OUT_OF_RANGE        | etcdserver: mvcc: required revision compacted  | UNAVAILABLE | again
                    ALREADY_EXISTS      | exists                                         | UNAVAILABLE | again
                    NOT_FOUND           | etcdserver: requested lease not found          | NOT_FOUND   | final
                    PERMISSION_DENIED   | etcdserver: permission denied                  | DENIED      | final
                    UNAUTHENTICATED     | etcdserver: invalid auth token                 | DENIED      | final
                    INVALID_ARGUMENT    | etcdserver: user name is empty                 | DENIED      | final
                    INVALID_ARGUMENT    | etcdserver: authentication failed              | DENIED      | final
                    INVALID_ARGUMENT    | etcdserver: revision of auth store is old      | UNAVAILABLE | again
                    INVALID_ARGUMENT    | etcdserver: request is too large               | INTERNAL    | final
                    INVALID_ARGUMENT    | etcdserver: duplicate key given in txn request | INTERNAL    | final
                    UNIMPLEMENTED       | unknown service etcdserverpb.KV                | INTERNAL    | final
                    """)
    void eachEtcdErrorHasACode(Status.Code status, String said, ErrorCode code, String again) {
        Status answer = status.toStatus().withDescription(said);
        for (Throwable failure :
                new Throwable[] {
                    answer.asRuntimeException(),
                    EtcdExceptionFactory.toEtcdException(answer.asRuntimeException())
                }) {
            ForebayException meaning = EtcdFailure.of(failure);
            assertThat(meaning.code()).as("%s", failure).isEqualTo(code);
            assertThat(meaning.retryable()).isEqualTo(again.equals("again"));
            assertThat(meaning).hasMessageContaining(said);
        }
    }

    @Test
    void aCertificateFailureIsUnavailableAndNamesItsCause() {
        Throwable handshake =
                new SSLHandshakeException("bad").initCause(new CertificateException("NotAfter"));
        ForebayException meaning =
                EtcdFailure.of(
                        Status.UNAVAILABLE
                                .withDescription("io exception")
                                .withCause(handshake)
                                .asRuntimeException());
        assertThat(meaning.code()).isEqualTo(ErrorCode.UNAVAILABLE);
        assertThat(meaning).hasMessageContaining("CertificateException: NotAfter");
    }

    @Test
    void anUnresolvedHostNameIsUnavailableAndNamesTheSetting() {
        ForebayException meaning =
                EtcdFailure.of(
                        Status.UNAVAILABLE
                                .withDescription("unresolved address")
                                .withCause(new UnresolvedAddressException())
                                .asRuntimeException());
        assertThat(meaning.code()).isEqualTo(ErrorCode.UNAVAILABLE);
        assertThat(meaning)
                .hasMessageContaining("cannot resolve a host name of forebay.etcd.endpoints")
                .hasMessageContaining("name servers");
    }
}
