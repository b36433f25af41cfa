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
 * Tells a database that is away, and a value that it cannot hold, from a defect of ours. Runs
 * around the transaction.
 */
@Stored
@Interceptor
@Priority(Interceptor.Priority.PLATFORM_BEFORE)
class StoredInterceptor {

    private static final String DATABASE = "the catalogue's database (quarkus.datasource.jdbc.url)";

    /**
     * Classes of SQLSTATE of what may pass by itself: connection, transaction (a standby that has
     * become the primary's successor takes no writes yet), conflict, resources, locks, operator's
     * intervention, system. See PostgreSQL's appendix on error codes. And 99, which is the driver's
     * own, for what it does not expect when it connects: that the pool has lost its patience, say.
     */
    private static final Set<String> AWAY = Set.of("08", "25", "40", "53", "55", "57", "58", "99");

    /** A statement that the connection had prepared, before another release changed the schema. */
    private static final Set<String> PREPARED_BEFORE = Set.of("0A000", "26000");

    /** No such database, schema, table, column, function or type. */
    private static final Set<String> OTHER_SCHEMA =
            Set.of("3D000", "3F000", "42P01", "42703", "42883", "42704");

    private static final String NO_AUTHORIZATION = "28";
    private static final String NO_PRIVILEGE = "42501";

    /**
     * The text has a NUL, say, or is too long for an index: the same value is refused however often
     * it comes.
     */
    private static final Set<String> UNFIT = Set.of("22", "54");

    @AroundInvoke
    @Nullable Object around(InvocationContext call) throws Exception {
        try {
            return call.proceed();
        } catch (ForebayException e) {
            throw e;
        } catch (Exception e) {
            // Not only the unchecked: what fails when it is committed is a RollbackException.
            throw translated(e);
        }
    }

    /**
     * What Forebay says instead. A transaction that was rolled back for no reason had taken too
     * long (Narayana): what it waited for came too late.
     */
    static Exception translated(Exception failure) {
        List<Throwable> reasons = reasons(failure);
        if (reasons.size() == 1 && failure instanceof RollbackException) {
            return away("the transaction took too long", failure);
        }
        List<SQLException> said =
                reasons.stream()
                        .filter(SQLException.class::isInstance)
                        .map(SQLException.class::cast)
                        .toList();
        List<SQLException> coded = said.stream().filter(StoredInterceptor::hasState).toList();
        // The connection pool's own have none: no connection was free or could be made.
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

    /** The table "What PostgreSQL answers" in {@code docs/operations.md}; empty for a defect. */
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
                            "%s has not the schema of this release: %s".formatted(DATABASE, said),
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

    /** Returns the first line. The other lines quote the statement. */
    private static String firstLine(SQLException reason) {
        return String.valueOf(reason.getMessage()).lines().findFirst().orElse("");
    }

    /**
     * A failure, and all that it is said to come from: what fails when it is committed is not the
     * cause of the {@code RollbackException}, but suppressed by it (Narayana).
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
