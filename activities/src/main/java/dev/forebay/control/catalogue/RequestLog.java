package dev.forebay.control.catalogue;

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
 * The requests that were made under an idempotency key, so that whoever asks after one finds the
 * run that answers it, also after a restart. Safe for use by many threads; every call is one
 * transaction.
 */
@ApplicationScoped
@Stored
@Transactional
public class RequestLog {

    /**
     * By the clock by which the ledger knows when accounts were opened: it tells who had asked.
     * Attempts are counted from any number on, so that a request which comes again after it was
     * forgotten is none that a workflow has answered. Gives what is there, unless somebody has
     * entered it at the same moment.
     */
    private static final String ENTER =
            """
            with entered as (
              insert into request
                (version, id, region, body, workflow_id, created_at, asked_by, attempt)
              values (:version, :id, :region, :body, :workflow, now(), cast(:askedBy as text),
                (random() * 2000000000)::integer)
              on conflict do nothing
              returning region, body, workflow_id, attempt, run_id, cancelled, told)
            select * from entered
            union all
            """;

    private static final String FIND =
            "select region, body, workflow_id, attempt, run_id, cancelled, told from request where version = :version and id = :id";

    /**
     * Nobody waits until it is on the disk: what the database loses when it crashes is found out by
     * sending the same update again.
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
            set attempt = attempt + 1, run_id = null, cancelled = false, told = false,
              again_at = now(), again_by = coalesce(cast(:askedBy as text), again_by, asked_by)
            where version = :version and id = :id and attempt = :attempt
            """;

    private static final String CANCEL =
            """
            update request set cancelled = true
            where version = :version and id = :id and attempt = :attempt
            """;

    private static final String TOLD =
            """
            update request set told = true
            where version = :version and id = :id and attempt = :attempt
            """;

    private static final String FORGET =
            """
            delete from request where ctid in
              (select ctid from request
               where created_at < :before and coalesce(again_at, created_at) < :before
               limit :limit)
            """;

    /**
     * A request as it was made.
     *
     * @param region the names of its regions, with commas between them
     * @param body in a form that is equal for equal requests
     * @param attempt one more each time that it was answered and then sent again
     * @param runId the run that accepted this attempt, once one did
     * @param cancelled whether this attempt was taken back
     * @param told whether somebody was told that this attempt has failed
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
            boolean told) {

        /**
         * The same for the same attempt; not among the ids that a request can have, but for the
         * first of those that were entered before attempts were counted from any number on.
         */
        public String updateId() {
            return attempt == 0 ? id : id + "~" + attempt;
        }
    }

    /**
     * Enters a request, or finds the same one that is there.
     *
     * @param askedBy the training run that asks, if it says
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

    /** The request with this id. */
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

    /** Remembers the run that accepted an attempt; returns whether it was taken back meanwhile. */
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
     * Begins the attempt after the given one, or finds the one that somebody else began.
     *
     * @param askedBy the training run that asks now, if it says; else the one that asked before
     */
    public Entry again(Entry answered, @Nullable String askedBy) {
        ofAttempt(AGAIN, answered).setParameter("askedBy", askedBy, String.class).executeUpdate();
        return find(answered.version(), answered.id()).orElse(answered);
    }

    /** Remembers that somebody was told that an attempt has failed. */
    public void told(Entry failed) {
        ofAttempt(TOLD, failed).executeUpdate();
    }

    /** Remembers that an attempt was taken back. */
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
     * Forgets up to {@code limit} requests that were last asked before {@code before}; returns how
     * many.
     */
    public int forget(Instant before, int limit) {
        return Panache.getSession()
                .createNativeMutationQuery(FORGET)
                .setParameter("before", before)
                .setParameter("limit", limit)
                .executeUpdate();
    }
}
