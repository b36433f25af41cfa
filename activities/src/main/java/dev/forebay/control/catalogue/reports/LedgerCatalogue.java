package dev.forebay.control.catalogue.reports;

import dev.forebay.control.catalogue.NeedsDatabase;
import dev.forebay.model.RegionName;
import io.quarkus.hibernate.orm.panache.Panache;
import jakarta.enterprise.context.ApplicationScoped;
import jakarta.transaction.Transactional;
import java.time.Instant;
import java.time.LocalDate;
import java.time.ZoneOffset;
import java.util.List;
import org.hibernate.query.NativeQuery;
import org.jspecify.annotations.Nullable;

/**
 * The ledger: adds what workers have counted to daily sums. Counts each statement once, however
 * often a worker sends it. Thread-safe. Every call is one transaction.
 */
@ApplicationScoped
@NeedsDatabase
@Transactional
public class LedgerCatalogue {

    /**
     * Enters the accounts in a statement of their own. If two control planes note the same account
     * at once, the second one then sees what the first one noted.
     *
     * <p>The database's clock alone decides which run had asked when an account was opened, because
     * another control plane may have entered the request.
     *
     * <p>A worker may report an account for long without a change. Its row is touched once a day,
     * because an account that was forgotten would be counted again.
     */
    private static final String ENTER =
            """
            insert into ledger_account (id, region, worker, version, run_id, opened_at, noted_at)
            select s.id, cast(:region as text), cast(:worker as text), s.version,
              coalesce(
                (select asked.by from (
                   (select r.asked_by as by, r.created_at as at from request r
                    where r.version = s.version
                      and concat(',', r.region, ',') like concat('%,', cast(:region as text), ',%')
                      and r.created_at <= now() - s.age_millis * interval '1 millisecond'
                    order by r.created_at desc limit 1)
                   union all
                   (select r.repeated_by, r.repeated_at from request r
                    where r.version = s.version
                      and concat(',', r.region, ',') like concat('%,', cast(:region as text), ',%')
                      and r.repeated_by is not null
                      and r.repeated_at <= now() - s.age_millis * interval '1 millisecond'
                    order by r.repeated_at desc limit 1)) asked
                 order by asked.at desc limit 1), ''),
              now() - s.age_millis * interval '1 millisecond', now()
            from jsonb_to_recordset(cast(:statements as jsonb))
              as s (id text, version text, age_millis bigint)
            where not exists
              (select 1 from ledger_account a
               where a.id = s.id and a.noted_at > now() - interval '1 day')
            order by s.id
            on conflict (id) do update set noted_at = excluded.noted_at
            """;

    /** Adds the difference to the day in the same statement that stores the new revision. */
    private static final String NOTE =
            """
            with said as (
              select * from jsonb_to_recordset(cast(:statements as jsonb)) as s (
                id text, closed boolean, revision bigint, lake_requests bigint, lake_bytes bigint,
                peer_requests bigint, peer_bytes bigint, sibling_requests bigint, sibling_bytes bigint,
                on_premises_requests bigint, on_premises_bytes bigint, served_requests bigint, served_bytes bigint,
                held_byte_seconds double precision)),
            before as (
              select a.* from ledger_account a join said using (id)
              where a.revision < said.revision order by a.id for update of a),
            noted as (
              update ledger_account a set closed = s.closed, revision = s.revision, noted_at = now(),
                lake_requests = s.lake_requests, lake_bytes = s.lake_bytes,
                peer_requests = s.peer_requests, peer_bytes = s.peer_bytes,
                sibling_requests = s.sibling_requests, sibling_bytes = s.sibling_bytes,
                on_premises_requests = s.on_premises_requests, on_premises_bytes = s.on_premises_bytes,
                served_requests = s.served_requests, served_bytes = s.served_bytes,
                held_byte_seconds = s.held_byte_seconds
              from said s join before b using (id) where a.id = s.id and b.revision < s.revision
              returning a.id)
            insert into ledger as l (day, region, version, run_id, lake_requests, lake_bytes,
              peer_requests, peer_bytes, sibling_requests, sibling_bytes, on_premises_requests, on_premises_bytes,
              served_requests, served_bytes, held_byte_seconds)
            select cast(:day as date), b.region, b.version, b.run_id,
              sum(s.lake_requests - b.lake_requests), sum(s.lake_bytes - b.lake_bytes),
              sum(s.peer_requests - b.peer_requests), sum(s.peer_bytes - b.peer_bytes),
              sum(s.sibling_requests - b.sibling_requests), sum(s.sibling_bytes - b.sibling_bytes),
              sum(s.on_premises_requests - b.on_premises_requests), sum(s.on_premises_bytes - b.on_premises_bytes),
              sum(s.served_requests - b.served_requests), sum(s.served_bytes - b.served_bytes),
              sum(s.held_byte_seconds - b.held_byte_seconds)
            from noted join said s using (id) join before b using (id)
            group by b.region, b.version, b.run_id order by b.region, b.version, b.run_id
            on conflict (day, region, version, run_id) do update set
              lake_requests = l.lake_requests + excluded.lake_requests,
              lake_bytes = l.lake_bytes + excluded.lake_bytes,
              peer_requests = l.peer_requests + excluded.peer_requests,
              peer_bytes = l.peer_bytes + excluded.peer_bytes,
              sibling_requests = l.sibling_requests + excluded.sibling_requests,
              sibling_bytes = l.sibling_bytes + excluded.sibling_bytes,
              on_premises_requests = l.on_premises_requests + excluded.on_premises_requests,
              on_premises_bytes = l.on_premises_bytes + excluded.on_premises_bytes,
              served_requests = l.served_requests + excluded.served_requests,
              served_bytes = l.served_bytes + excluded.served_bytes,
              held_byte_seconds = l.held_byte_seconds + excluded.held_byte_seconds
            """;

    private static final String FORGET_ACCOUNTS =
            """
            delete from ledger_account where ctid in
              (select ctid from ledger_account where noted_at < :before limit :limit)
            """;

    private static final String FORGET_DAYS =
            """
            delete from ledger where ctid in
              (select ctid from ledger where day < :before limit :limit)
            """;

    private static final String CHOSEN =
            """
            from ledger where day >= :since and day < :until
              and (cast(:namespace as text) is null or namespace = :namespace)
              and (cast(:dataset as text) is null or dataset = :dataset)
              and (cast(:version as text) is null or version = :version)
              and (cast(:region as text) is null or region = :region)
              and (cast(:run as text) is null or run_id = :run)
            """;

    private static final String SUMS =
            """
            cast(sum(lake_requests) as bigint), cast(sum(lake_bytes) as bigint),
            cast(sum(peer_requests) as bigint), cast(sum(peer_bytes) as bigint),
            cast(sum(sibling_requests) as bigint), cast(sum(sibling_bytes) as bigint),
            cast(sum(on_premises_requests) as bigint), cast(sum(on_premises_bytes) as bigint),
            cast(sum(served_requests) as bigint), cast(sum(served_bytes) as bigint),
            sum(held_byte_seconds), cast(sum(evictions) as bigint)
            """;

    /** The key by which sums are grouped. */
    public enum By {
        NAMESPACE("namespace"),
        DATASET("dataset"),
        VERSION("version"),
        REGION("region"),
        RUN("run_id"),
        DAY("cast(day as text)");

        private final String column;

        By(String column) {
            this.column = column;
        }
    }

    /**
     * A selection of the ledger. A null field selects everything.
     *
     * @param since the first day, in UTC
     * @param until the day after the last
     */
    public record Choice(
            LocalDate since,
            LocalDate until,
            @Nullable String namespace,
            @Nullable String dataset,
            @Nullable String version,
            @Nullable String region,
            @Nullable String run) {}

    /**
     * The sums of one group in one region.
     *
     * @param key the key of the group
     */
    public record Sum(
            String key,
            RegionName region,
            long lakeRequests,
            long lakeBytes,
            long peerRequests,
            long peerBytes,
            long siblingRequests,
            long siblingBytes,
            long onPremisesRequests,
            long onPremisesBytes,
            long servedRequests,
            long servedBytes,
            double heldByteSeconds,
            long evictions) {}

    /**
     * Notes the statements of a worker.
     *
     * @param statements a JSON array of the statements of its accounts in the form that agents
     *     send, each account once
     */
    public void note(RegionName region, String worker, String statements) {
        Panache.getSession()
                .createNativeMutationQuery(ENTER)
                .setParameter("region", region.value())
                .setParameter("worker", worker)
                .setParameter("statements", statements)
                .executeUpdate();
        Panache.getSession()
                .createNativeMutationQuery(NOTE)
                .setParameter("statements", statements)
                .setParameter("day", LocalDate.ofInstant(Instant.now(), ZoneOffset.UTC))
                .executeUpdate();
    }

    /**
     * Returns the sums of up to {@code limit} groups, ordered by key and region. A group has one
     * sum for each region.
     *
     * @param after the key of the last group of the page before; null for the first page. The empty
     *     string is a key, too
     */
    public List<Sum> sums(Choice choice, By by, @Nullable String after, int limit) {
        String keys =
                "select distinct %s as key %s and (cast(:after as text) is null or %s > :after) order by key limit :limit"
                        .formatted(by.column, CHOSEN, by.column);
        String sql =
                "select %s as key, region, %s %s and %s in (select key from (%s) as keys) group by 1, 2 order by 1, 2"
                        .formatted(by.column, SUMS, CHOSEN, by.column, keys);
        return rows(
                chosen(sql, choice)
                        .setParameter("after", after, String.class)
                        .setParameter("limit", limit));
    }

    /** Returns the sums of the whole selection, as one group with an empty key. */
    public List<Sum> totals(Choice choice) {
        String sql =
                "select '' as key, region, %s %s group by 1, 2 order by 2".formatted(SUMS, CHOSEN);
        return rows(chosen(sql, choice));
    }

    /**
     * Deletes up to {@code limit} accounts and up to {@code limit} days older than {@code before}.
     * Returns how many rows it deleted.
     */
    public int forget(Instant before, int limit) {
        return forget(FORGET_ACCOUNTS, before, limit)
                + forget(FORGET_DAYS, LocalDate.ofInstant(before, ZoneOffset.UTC), limit);
    }

    private static int forget(String sql, Object before, int limit) {
        return Panache.getSession()
                .createNativeMutationQuery(sql)
                .setParameter("before", before)
                .setParameter("limit", limit)
                .executeUpdate();
    }

    private static NativeQuery<Object[]> chosen(String sql, Choice choice) {
        return Panache.getSession()
                .createNativeQuery(sql, Object[].class)
                .setParameter("since", choice.since())
                .setParameter("until", choice.until())
                .setParameter("namespace", choice.namespace(), String.class)
                .setParameter("dataset", choice.dataset(), String.class)
                .setParameter("version", choice.version(), String.class)
                .setParameter("region", choice.region(), String.class)
                .setParameter("run", choice.run(), String.class);
    }

    private static List<Sum> rows(NativeQuery<Object[]> query) {
        return query.getResultList().stream()
                .map(
                        row ->
                                new Sum(
                                        (String) row[0],
                                        new RegionName((String) row[1]),
                                        whole(row[2]),
                                        whole(row[3]),
                                        whole(row[4]),
                                        whole(row[5]),
                                        whole(row[6]),
                                        whole(row[7]),
                                        whole(row[8]),
                                        whole(row[9]),
                                        whole(row[10]),
                                        whole(row[11]),
                                        ((Number) row[12]).doubleValue(),
                                        whole(row[13])))
                .toList();
    }

    private static long whole(Object figure) {
        return ((Number) figure).longValue();
    }
}
