package dev.forebay.control.catalogue;

import dev.forebay.model.ErrorCode;
import dev.forebay.model.ForebayException;
import jakarta.annotation.Priority;
import jakarta.interceptor.AroundInvoke;
import jakarta.interceptor.Interceptor;
import jakarta.interceptor.InvocationContext;
import jakarta.transaction.RollbackException;
import java.sql.SQLException;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Collections;
import java.util.Deque;
import java.util.IdentityHashMap;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * Translates failures of the database: distinguishes an outage and a value that it cannot store
 * from a defect in Forebay. Runs around the transaction.
 */
@NeedsDatabase
@Interceptor
@Priority(Interceptor.Priority.PLATFORM_BEFORE)
class NeedsDatabaseInterceptor {

    private static final String DATABASE = "the catalogue's database (quarkus.datasource.jdbc.url)";

    /**
     * Classes of SQLSTATE that a retry may solve: connection, transaction (a promoted standby may
     * still be read-only), conflict, resources, locks, operator intervention, system. See
     * PostgreSQL's appendix on error codes. Class 99 is the driver's own, for unexpected events
     * while it connects, such as a timeout of the pool.
     */
    private static final Set<String> AWAY = Set.of("08", "25", "40", "53", "55", "57", "58", "99");

    /** The connection has a prepared statement from before another release changed the schema. */
    private static final Set<String> PREPARED_BEFORE = Set.of("0A000", "26000");

    /** No such database, schema, table, column, function or type. */
    private static final Set<String> OTHER_SCHEMA =
            Set.of("3D000", "3F000", "42P01", "42703", "42883", "42704");

    private static final String NO_AUTHORIZATION = "28";
    private static final String NO_PRIVILEGE = "42501";

    /**
     * The value is invalid, for example text with a NUL or too long for an index. A retry fails
     * again.
     */
    private static final Set<String> UNFIT = Set.of("22", "54");

    @AroundInvoke
    @Nullable Object around(InvocationContext call) throws Exception {
        try {
            return call.proceed();
        } catch (ForebayException e) {
            throw e;
        } catch (Exception e) {
            // A failed commit throws the checked RollbackException.
            throw translated(e);
        }
    }

    /**
     * Returns the exception that Forebay throws instead. Narayana rolls a transaction back without
     * a cause if it took too long.
     */
    static Exception translated(Exception failure) {
        List<Throwable> reasons = reasons(failure);
        if (reasons.size() == 1 && failure instanceof RollbackException) {
            return away("the transaction exceeded its time limit", failure);
        }
        List<SQLException> said =
                reasons.stream()
                        .filter(SQLException.class::isInstance)
                        .map(SQLException.class::cast)
                        .toList();
        List<SQLException> coded =
                said.stream().filter(NeedsDatabaseInterceptor::hasState).toList();
        // The exceptions of the connection pool have no SQLSTATE: it has no free connection and
        // cannot open one.
        if (coded.isEmpty() && !said.isEmpty()) {
            return away(firstLine(said.getFirst()), failure);
        }
        return coded.stream()
                .flatMap(reason -> meaning(reason, failure).stream())
                .findFirst()
                .orElse(failure);
    }

    private static boolean hasState(SQLException reason) {
        String state = reason.getSQLState();
        return state != null && state.length() == 5;
    }

    /**
     * Implements the table "What PostgreSQL answers" in {@code docs/failures.md}. Returns empty for
     * a defect.
     */
    private static Optional<Exception> meaning(SQLException reason, Exception failure) {
        String state = reason.getSQLState();
        String said = firstLine(reason);
        String kind = state.substring(0, 2);
        if (AWAY.contains(kind) || PREPARED_BEFORE.contains(state)) {
            return Optional.of(away(said, failure));
        }
        if (OTHER_SCHEMA.contains(state)) {
            return Optional.of(
                    new ForebayException(
                            ErrorCode.UNAVAILABLE,
                            "%s does not have the schema of this release: %s"
                                    .formatted(DATABASE, said),
                            failure));
        }
        if (kind.equals(NO_AUTHORIZATION) || state.equals(NO_PRIVILEGE)) {
            return Optional.of(
                    new ForebayException(
                            ErrorCode.DENIED,
                            "%s refuses the user of quarkus.datasource.username: %s"
                                    .formatted(DATABASE, said),
                            failure));
        }
        return UNFIT.contains(kind)
                ? Optional.of(
                        new ForebayException(
                                ErrorCode.INVALID_ARGUMENT,
                                "the catalogue's database cannot hold a value: " + said,
                                failure))
                : Optional.empty();
    }

    private static ForebayException away(String said, Exception failure) {
        return new ForebayException(
                ErrorCode.UNAVAILABLE, "%s does not answer: %s".formatted(DATABASE, said), failure);
    }

    /** Returns the first line of the message. The other lines quote the statement. */
    private static String firstLine(SQLException reason) {
        return String.valueOf(reason.getMessage()).lines().findFirst().orElse("");
    }

    /**
     * Returns a failure with all its causes and suppressed exceptions. Narayana adds the reason of
     * a failed commit to the {@code RollbackException} as suppressed, not as its cause.
     */
    private static List<Throwable> reasons(Throwable failure) {
        Set<Throwable> seen = Collections.newSetFromMap(new IdentityHashMap<>());
        List<Throwable> reasons = new ArrayList<>();
        Deque<Throwable> next = new ArrayDeque<>(List.of(failure));
        while (!next.isEmpty()) {
            Throwable reason = next.remove();
            if (seen.add(reason)) {
                reasons.add(reason);
                Optional.ofNullable(reason.getCause()).ifPresent(next::add);
                next.addAll(List.of(reason.getSuppressed()));
            }
        }
        return reasons;
    }
}
