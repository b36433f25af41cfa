package dev.forebay.control.catalogue.requests;

import dev.forebay.control.catalogue.NeedsDatabase;
import dev.forebay.model.DatasetVersion;
import dev.forebay.model.ErrorCode;
import dev.forebay.model.ForebayException;
import io.quarkus.hibernate.orm.panache.Panache;
import jakarta.enterprise.context.ApplicationScoped;
import jakarta.transaction.Transactional;
import java.time.Instant;
import java.util.Optional;
import org.hibernate.query.MutationQuery;
import org.hibernate.query.NativeQuery;
import org.jspecify.annotations.Nullable;

/**
 * The requests by idempotency key. A client that asks for a request later finds the run that
 * answers it, even after a restart. Thread-safe. Every call is one transaction.
 */
@ApplicationScoped
@NeedsDatabase
@Transactional
public class RequestLog {

    /**
     * Returns the stored request, unless another transaction entered it at the same moment.
     *
     * <p>{@code created_at} uses the database's clock, as the ledger does for its accounts, because
     * the ledger derives from it which run had asked. Attempts start at a random number. A request
     * that comes again after it was forgotten would otherwise get the id of an update that a
     * workflow has already answered.
     */
    private static final String ENTER =
            """
            with entered as (
              insert into request
                (version, id, region, body, workflow_id, created_at, asked_by, attempt)
              values (:version, :id, :region, :body, :workflow, now(), cast(:askedBy as text),
                (random() * 2000000000)::integer)
              on conflict do nothing
              returning region, body, workflow_id, attempt, run_id, cancelled, delivered)
            select * from entered
            union all
            """;

    private static final String FIND =
            "select region, body, workflow_id, attempt, run_id, cancelled, delivered from request where version = :version and id = :id";

    /**
     * Does not wait for the disk. If the database crashes and loses the row, the control plane
     * finds the run by sending the same update again.
     */
    private static final String ACCEPTED =
            """
            update request set run_id = :run
            where version = :version and id = :id and attempt = :attempt
              and set_config('synchronous_commit', 'off', true) = 'off'
            returning cancelled
            """;

    private static final String AGAIN =
            """
            update request
            set attempt = attempt + 1, run_id = null, cancelled = false, delivered = false,
              repeated_at = now(), repeated_by = coalesce(cast(:askedBy as text), repeated_by, asked_by)
            where version = :version and id = :id and attempt = :attempt
            """;

    private static final String CANCEL =
            """
            update request set cancelled = true
            where version = :version and id = :id and attempt = :attempt
            """;

    private static final String DELIVERED =
            """
            update request set delivered = true
            where version = :version and id = :id and attempt = :attempt
            """;

    private static final String FORGET =
            """
            delete from request where ctid in
              (select ctid from request
               where created_at < :before and coalesce(repeated_at, created_at) < :before
               limit :limit)
            """;

    /**
     * A stored request.
     *
     * @param region the names of its regions, joined by commas
     * @param body the body in a form that is equal for equal requests
     * @param attempt grows by one each time a client sends the request again after its answer
     * @param runId the workflow run that accepted this attempt; null until one did
     * @param cancelled whether a client has cancelled this attempt
     * @param delivered whether a client has received the failure of this attempt
     */
    public record Entry(
            DatasetVersion version,
            String id,
            String region,
            String body,
            String workflowId,
            int attempt,
            @Nullable String runId,
            boolean cancelled,
            boolean delivered) {

        /** Returns the id of the update that carries this attempt. No other request has this id. */
        public String updateId() {
            return id + "~" + attempt;
        }
    }

    /**
     * Enters a request, or returns the same one if it is stored.
     *
     * @param askedBy the training run that asks; null if it is unknown
     * @throws ForebayException {@code ALREADY_EXISTS} if the id was used for another body
     */
    public Entry enter(Entry request, @Nullable String askedBy) {
        Entry there =
                first(
                                query(ENTER + FIND, request.version(), request.id())
                                        .setParameter("region", request.region())
                                        .setParameter("body", request.body())
                                        .setParameter("workflow", request.workflowId())
                                        .setParameter("askedBy", askedBy, String.class),
                                request.version(),
                                request.id())
                        .or(() -> find(request.version(), request.id()))
                        .orElse(request);
        if (!there.body().equals(request.body())) {
            throw new ForebayException(
                    ErrorCode.ALREADY_EXISTS,
                    "Idempotency-Key '%s' was used for another request on %s: choose a new key"
                            .formatted(request.id(), request.version()));
        }
        return there;
    }

    /** Returns the request with this id. */
    public Optional<Entry> find(DatasetVersion version, String id) {
        return first(query(FIND, version, id), version, id);
    }

    private static NativeQuery<Object[]> query(String sql, DatasetVersion version, String id) {
        return Panache.getSession()
                .createNativeQuery(sql, Object[].class)
                .setParameter("version", version.toString())
                .setParameter("id", id);
    }

    private static Optional<Entry> first(
            NativeQuery<Object[]> query, DatasetVersion version, String id) {
        return query.getResultList().stream()
                .findFirst()
                .map(
                        row ->
                                new Entry(
                                        version,
                                        id,
                                        (String) row[0],
                                        (String) row[1],
                                        (String) row[2],
                                        ((Number) row[3]).intValue(),
                                        (String) row[4],
                                        (Boolean) row[5],
                                        (Boolean) row[6]));
    }

    /**
     * Stores the run that accepted an attempt. Returns whether a client has cancelled it meanwhile.
     */
    public boolean accepted(Entry request, String runId) {
        return Panache.getSession()
                .createNativeQuery(ACCEPTED, Boolean.class)
                .setParameter("version", request.version().toString())
                .setParameter("id", request.id())
                .setParameter("attempt", request.attempt())
                .setParameter("run", runId)
                .getResultList()
                .contains(true);
    }

    /**
     * Begins the attempt after the given one. Returns the current attempt, which another call may
     * have begun.
     *
     * @param askedBy the training run that asks now; null keeps the one that asked before
     */
    public Entry again(Entry answered, @Nullable String askedBy) {
        ofAttempt(AGAIN, answered).setParameter("askedBy", askedBy, String.class).executeUpdate();
        return find(answered.version(), answered.id()).orElse(answered);
    }

    /** Stores that a client has received the failure of an attempt. */
    public void markDelivered(Entry failed) {
        ofAttempt(DELIVERED, failed).executeUpdate();
    }

    /** Stores that a client has cancelled an attempt. */
    public void cancel(Entry request) {
        ofAttempt(CANCEL, request).executeUpdate();
    }

    private static MutationQuery ofAttempt(String sql, Entry request) {
        return Panache.getSession()
                .createNativeMutationQuery(sql)
                .setParameter("version", request.version().toString())
                .setParameter("id", request.id())
                .setParameter("attempt", request.attempt());
    }

    /**
     * Deletes up to {@code limit} requests whose last attempt began before {@code before}. Returns
     * how many it deleted.
     */
    public int forget(Instant before, int limit) {
        return Panache.getSession()
                .createNativeMutationQuery(FORGET)
                .setParameter("before", before)
                .setParameter("limit", limit)
                .executeUpdate();
    }
}
