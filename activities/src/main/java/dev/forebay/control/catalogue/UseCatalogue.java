package dev.forebay.control.catalogue;

import dev.forebay.model.DatasetVersion;
import dev.forebay.model.RegionName;
import io.quarkus.hibernate.orm.panache.Panache;
import jakarta.enterprise.context.ApplicationScoped;
import jakarta.transaction.Transactional;
import java.time.Duration;
import java.util.Collection;
import java.util.Map;
import java.util.stream.Collectors;

/**
 * How often versions were asked for, as far as requests are remembered. Safe for use by many
 * threads; every call is one transaction.
 */
@ApplicationScoped
@Stored
@Transactional
public class UseCatalogue {

    /** Older requests, each of which would count less than a sixty-fourth, are not read. */
    private static final String USES =
            """
            select version, sum(power(cast(0.5 as double precision),
                cast(extract(epoch from (now() - coalesce(again_at, created_at))) as double precision)
                / cast(:half as double precision)))
            from request
            where version in (:versions)
              and coalesce(again_at, created_at) > now() - 6 * cast(:half as double precision) * interval '1 second'
              and :region = any(string_to_array(region, ','))
            group by version
            """;

    private static final String ASKED =
            """
            select exists (
              select 1 from request
              where version = :version
                and coalesce(again_at, created_at) > now() - :millis * interval '1 millisecond'
                and :region = any(string_to_array(region, ',')))
            """;

    /** Whether a version was asked for in a region not longer ago than that. */
    public boolean wasAskedFor(RegionName region, DatasetVersion version, Duration ago) {
        return Panache.getSession()
                .createNativeQuery(ASKED, Boolean.class)
                .setParameter("version", version.toString())
                .setParameter("millis", ago.toMillis())
                .setParameter("region", region.value())
                .getSingleResult();
    }

    /**
     * How often versions were asked for in a region, by version; a request that is {@code half} old
     * counts half, one that is six times as old not at all. Versions that nobody asked for are not
     * in it.
     */
    public Map<DatasetVersion, Double> recent(
            RegionName region, Collection<DatasetVersion> versions, Duration half) {
        if (versions.isEmpty()) {
            return Map.of();
        }
        return Panache.getSession()
                .createNativeQuery(USES, Object[].class)
                .setParameter("half", (double) half.toSeconds())
                .setParameter("region", region.value())
                .setParameterList(
                        "versions", versions.stream().map(DatasetVersion::toString).toList())
                .getResultStream()
                .collect(
                        Collectors.toMap(
                                row -> DatasetVersion.parse((String) row[0]),
                                row -> ((Number) row[1]).doubleValue()));
    }
}
