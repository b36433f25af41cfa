package dev.forebay.control.catalogue;

import static org.assertj.core.api.Assertions.assertThat;

import dev.forebay.model.ErrorCode;
import dev.forebay.model.ForebayException;
import jakarta.transaction.RollbackException;
import java.sql.SQLException;
import javax.transaction.xa.XAException;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class NeedsDatabaseInterceptorTest {

    private final SQLException ended =
            new SQLException("terminating connection due to administrator command", "57P01");

    @Test
    void aShutdownBetweenTwoStatementsIsUnavailable() {
        assertAway(new IllegalStateException("query", new RuntimeException(ended)));
    }

    /** The rows of "What PostgreSQL answers" in docs/failures.md. */
    @ParameterizedTest(name = "{0} {1}")
    @CsvSource(
            delimiter = '|',
            textBlock =
                    """
                    08001 | connection refused                   | UNAVAILABLE      | again
                    08006 | connection lost                      | UNAVAILABLE      | again
                    57P01 | shut down by an administrator        | UNAVAILABLE      | again
                    57P03 | it starts                            | UNAVAILABLE      | again
                    57014 | statement timeout                    | UNAVAILABLE      | again
                    53100 | disk full                            | UNAVAILABLE      | again
                    53300 | too many connections                 | UNAVAILABLE      | again
                    58030 | I/O error                            | UNAVAILABLE      | again
                    40001 | could not serialize                  | UNAVAILABLE      | again
                    40P01 | deadlock                             | UNAVAILABLE      | again
                    55P03 | lock not available                   | UNAVAILABLE      | again
                    25006 | read-only: it is a standby           | UNAVAILABLE      | again
                    25P03 | idle in transaction for too long     | UNAVAILABLE      | again
                    0A000 | cached plan must not change          | UNAVAILABLE      | again
                    26000 | prepared statement does not exist    | UNAVAILABLE      | again
                    99999 | the driver's own                     | UNAVAILABLE      | again
                    3D000 | no such database                     | UNAVAILABLE      | again
                    3F000 | no such schema                       | UNAVAILABLE      | again
                    42P01 | no such table                        | UNAVAILABLE      | again
                    42703 | no such column                       | UNAVAILABLE      | again
                    42883 | no such function                     | UNAVAILABLE      | again
                    28000 | no such role                         | DENIED           | final
                    28P01 | wrong password                       | DENIED           | final
                    42501 | no right to a table                  | DENIED           | final
                    22021 | a NUL                                | INVALID_ARGUMENT | final
                    22001 | too long                             | INVALID_ARGUMENT | final
                    54000 | an index row that is too large       | INVALID_ARGUMENT | final
                    """)
    void eachSqlStateMapsToItsErrorCode(String state, String said, ErrorCode code, String again) {
        SQLException answer = new SQLException(said + "\n  Where: x", state);
        assertThat(NeedsDatabaseInterceptor.translated(new RuntimeException(answer)))
                .isInstanceOfSatisfying(
                        ForebayException.class,
                        failure -> {
                            assertThat(failure.code()).isEqualTo(code);
                            assertThat(failure.retryable()).isEqualTo(again.equals("again"));
                        })
                .hasMessageContaining(said)
                .hasMessageNotContaining("Where");
    }

    @ParameterizedTest
    @ValueSource(strings = {"42601", "23505", "XX000"})
    void aDefectIsNotTranslated(String state) {
        Exception defect = new RuntimeException(new SQLException("defect", state));
        assertThat(NeedsDatabaseInterceptor.translated(defect)).isSameAs(defect);
    }

    /** The exceptions of the pool have no SQLSTATE. */
    @Test
    void aDatabaseErrorTakesPrecedenceOverAPoolError() {
        SQLException denied = new SQLException("wrong password", "28P01");
        assertThat(NeedsDatabaseInterceptor.translated(new SQLException("no connection", denied)))
                .isInstanceOfSatisfying(
                        ForebayException.class,
                        failure -> assertThat(failure.code()).isEqualTo(ErrorCode.DENIED));
        assertAway(new SQLException("Sorry, acquisition timeout!"));
    }

    /** The exceptions of Narayana and Agroal. */
    @Test
    void aShutdownBeforeTheCommitIsUnavailable() {
        XAException inCommit = new XAException(XAException.XAER_RMFAIL);
        inCommit.initCause(ended);
        RollbackException rolledBack = new RollbackException("could not commit");
        rolledBack.addSuppressed(inCommit);
        assertAway(rolledBack);
    }

    /** The exceptions of Agroal and the driver. */
    @Test
    void anInterruptedConnectionAttemptIsUnavailable() {
        assertAway(
                new RuntimeException(
                        new SQLException(
                                "Something unusual has occurred to cause the driver to fail.",
                                "99999",
                                new RuntimeException("Interrupted while attempting to connect."))));
    }

    /** The exception of Narayana. */
    @Test
    void aTimedOutTransactionIsUnavailable() {
        assertAway(new RollbackException("The transaction is not active!"));
    }

    @Test
    void anExceptionWithoutADatabaseCauseIsNotTranslated() {
        Exception defect = new IllegalStateException("defect");
        defect.addSuppressed(new RuntimeException(defect));
        assertThat(NeedsDatabaseInterceptor.translated(defect)).isSameAs(defect);
    }

    private static void assertAway(Exception failure) {
        assertThat(NeedsDatabaseInterceptor.translated(failure))
                .isInstanceOfSatisfying(
                        ForebayException.class,
                        e -> assertThat(e.code()).isEqualTo(ErrorCode.UNAVAILABLE))
                .hasCause(failure);
    }
}
