package dev.forebay.control.catalogue.reports;

import dev.forebay.control.catalogue.NeedsDatabase;
import dev.forebay.model.DatasetVersion;
import dev.forebay.model.ErrorCode;
import dev.forebay.model.RegionName;
import dev.forebay.workflows.message.HistoryEntry;
import dev.forebay.workflows.message.HistoryEntry.Kind;
import io.quarkus.hibernate.orm.panache.Panache;
import jakarta.enterprise.context.ApplicationScoped;
import jakarta.transaction.Transactional;
import java.time.Instant;
import java.time.LocalDate;
import java.time.ZoneOffset;
import java.time.temporal.ChronoUnit;
import java.util.List;

/**
 * The history of versions in regions. Enters each event once, even if a workflow reports it several
 * times. Thread-safe. Every call is one transaction.
 */
@ApplicationScoped
@NeedsDatabase
@Transactional
public class HistoryCatalogue {

    private static final String ENTER =
            """
            insert into history_entry (version, id, region, at, kind, code, text, bytes)
            values (:version, :id, :region, :at, :kind, cast(:code as text), :text, :bytes)
            on conflict do nothing
            """;

    private static final String EVICTED =
            """
            insert into ledger as l (day, region, version, run_id, evictions)
            values (:day, :region, :version, '', 1)
            on conflict (day, region, version, run_id) do update set evictions = l.evictions + 1
            """;

    private static final String LATEST =
            """
            select id, cast(extract(epoch from at) * 1000000 as bigint), kind, code, text, bytes
            from history_entry
            where version = :version and region = :region order by at desc, length(id) desc, id desc
            """;

    private static final String FORGET =
            """
            delete from history_entry where ctid in
              (select ctid from history_entry where at < :before limit :limit)
            """;

    /** Enters the events that are new. A new eviction also counts in the ledger. */
    public void enter(DatasetVersion version, List<HistoryEntry> news) {
        for (HistoryEntry entry : news) {
            boolean isNew = enter(version, entry) == 1;
            if (isNew && entry.kind() == Kind.EVICTED) {
                Panache.getSession()
                        .createNativeMutationQuery(EVICTED)
                        .setParameter("day", LocalDate.ofInstant(Instant.now(), ZoneOffset.UTC))
                        .setParameter("region", entry.region().value())
                        .setParameter("version", version.toString())
                        .executeUpdate();
            }
        }
    }

    private static int enter(DatasetVersion version, HistoryEntry entry) {
        ErrorCode code = entry.code();
        return Panache.getSession()
                .createNativeMutationQuery(ENTER)
                .setParameter("version", version.toString())
                .setParameter("id", entry.id())
                .setParameter("region", entry.region().value())
                .setParameter("at", entry.at())
                .setParameter("kind", entry.kind().name())
                .setParameter("code", code == null ? null : code.name(), String.class)
                .setParameter("text", entry.text())
                .setParameter("bytes", entry.bytes())
                .executeUpdate();
    }

    /** Returns up to {@code limit} events of a version in a region, the latest first. */
    public List<HistoryEntry> latest(DatasetVersion version, RegionName region, int limit) {
        return Panache.getSession()
                .createNativeQuery(LATEST, Object[].class)
                .setParameter("version", version.toString())
                .setParameter("region", region.value())
                .setMaxResults(limit)
                .getResultList()
                .stream()
                .map(
                        row ->
                                new HistoryEntry(
                                        (String) row[0],
                                        instant(((Number) row[1]).longValue()),
                                        region,
                                        Kind.valueOf((String) row[2]),
                                        row[3] == null ? null : ErrorCode.named((String) row[3]),
                                        (String) row[4],
                                        ((Number) row[5]).longValue()))
                .toList();
    }

    private static Instant instant(long micros) {
        return Instant.EPOCH.plus(micros, ChronoUnit.MICROS);
    }

    /**
     * Deletes up to {@code limit} events older than {@code before}. Returns how many it deleted.
     */
    public int forget(Instant before, int limit) {
        return Panache.getSession()
                .createNativeMutationQuery(FORGET)
                .setParameter("before", before)
                .setParameter("limit", limit)
                .executeUpdate();
    }
}
