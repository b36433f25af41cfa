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

    /**
     * Classes of SQLSTATE: connection, resources, operator's intervention, system. See PostgreSQL's
     * appendix on error codes. And 99, which is the driver's own, for what it does not expect when
     * it connects: that the pool has lost its patience, say.
     */
    private static final Set<String> AWAY = Set.of("08", "53", "57", "58", "99");

    private static final String SERIALIZATION_OR_DEADLOCK = "40";

    /** The text has a NUL, say: the same value is refused however often it comes. */
    private static final String DATA_EXCEPTION = "22";

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
            return away(failure);
        }
        for (Throwable reason : reasons) {
            if (reason instanceof SQLException sql) {
                String state = sql.getSQLState();
                if (isAway(state)) {
                    return away(failure);
                }
                if (state != null && state.startsWith(DATA_EXCEPTION)) {
                    return new ForebayException(
                            ErrorCode.INVALID_ARGUMENT,
                            "the catalogue's database cannot hold a value: " + sql.getMessage(),
                            failure);
                }
            }
        }
        return failure;
    }

    private static ForebayException away(Exception failure) {
        return new ForebayException(
                ErrorCode.UNAVAILABLE,
                "the catalogue's database (quarkus.datasource.jdbc.url) does not answer",
                failure);
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

    /**
     * The connection pool's own failures have no state: no connection was free or could be made.
     */
    private static boolean isAway(@Nullable String state) {
        if (state == null || state.length() < 2) {
            return true;
        }
        String kind = state.substring(0, 2);
        return AWAY.contains(kind) || kind.equals(SERIALIZATION_OR_DEADLOCK);
    }
}
