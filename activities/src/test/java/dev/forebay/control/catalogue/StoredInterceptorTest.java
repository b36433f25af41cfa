package dev.forebay.control.catalogue;

import static org.assertj.core.api.Assertions.assertThat;

import dev.forebay.model.ErrorCode;
import dev.forebay.model.ForebayException;
import jakarta.transaction.RollbackException;
import java.sql.SQLException;
import javax.transaction.xa.XAException;
import org.junit.jupiter.api.Test;

class StoredInterceptorTest {

    private final SQLException ended =
            new SQLException("terminating connection due to administrator command", "57P01");

    @Test
    void aDatabaseThatEndsBetweenTwoStatementsIsAway() {
        assertAway(new IllegalStateException("query", new RuntimeException(ended)));
    }

    /** As Narayana and Agroal say it. */
    @Test
    void aDatabaseThatEndsBeforeTheCommitIsAway() {
        XAException inCommit = new XAException(XAException.XAER_RMFAIL);
        inCommit.initCause(ended);
        RollbackException rolledBack = new RollbackException("could not commit");
        rolledBack.addSuppressed(inCommit);
        assertAway(rolledBack);
    }

    /** As Agroal and the driver say it. */
    @Test
    void aDatabaseThatIsSilentWhileItIsConnectedToIsAway() {
        assertAway(
                new RuntimeException(
                        new SQLException(
                                "Something unusual has occurred to cause the driver to fail.",
                                "99999",
                                new RuntimeException("Interrupted while attempting to connect."))));
    }

    /** As Narayana says it. */
    @Test
    void aTransactionThatTookTooLongFoundTheDatabaseAway() {
        assertAway(new RollbackException("The transaction is not active!"));
    }

    @Test
    void whatHasNothingToDoWithTheDatabaseStaysWhatItIs() {
        Exception defect = new IllegalStateException("defect");
        defect.addSuppressed(new RuntimeException(defect));
        assertThat(StoredInterceptor.translated(defect)).isSameAs(defect);
    }

    private static void assertAway(Exception failure) {
        assertThat(StoredInterceptor.translated(failure))
                .isInstanceOfSatisfying(
                        ForebayException.class,
                        e -> assertThat(e.code()).isEqualTo(ErrorCode.UNAVAILABLE))
                .hasCause(failure);
    }
}
