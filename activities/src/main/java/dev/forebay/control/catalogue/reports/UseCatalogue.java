package dev.forebay.control.catalogue.reports;

import dev.forebay.control.catalogue.NeedsDatabase;
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
 * Reports how often clients requested versions, from the stored requests. Thread-safe. Every call
 * is one transaction.
 */
@ApplicationScoped
@NeedsDatabase
@Transactional
public class UseCatalogue {

    /** Ignores requests older than six half-lives: each would count less than 1/64. */
    private static final String USES =
            """
            select version, sum(power(cast(0.5 as double precision),
                cast(extract(epoch from (now() - coalesce(repeated_at, created_at))) as double precision)
                / cast(:half as double precision)))
            from request
            where version = any(string_to_array(:versions, ','))
              and coalesce(repeated_at, created_at) > now() - 6 * cast(:half as double precision) * interval '1 second'
              and :region = any(string_to_array(region, ','))
            group by version
            """;

    private static final String ASKED =
            """
            select exists (
              select 1 from request
              where version = :version
                and coalesce(repeated_at, created_at) > now() - :millis * interval '1 millisecond'
                and :region = any(string_to_array(region, ',')))
            """;

    /** Returns whether a client requested the version in the region within the last {@code ago}. */
    public boolean wasAskedFor(RegionName region, DatasetVersion version, Duration ago) {
        return Panache.getSession()
                .createNativeQuery(ASKED, Boolean.class)
                .setParameter("version", version.toString())
                .setParameter("millis", ago.toMillis())
                .setParameter("region", region.value())
                .getSingleResult();
    }

    /**
     * Returns how often clients requested versions in a region, by version. The weight of a request
     * halves with each {@code half} of its age, and is 0 after six. Versions without requests are
     * absent from the map.
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
                // One parameter, because a statement can have only 65,535.
                .setParameter(
                        "versions",
                        versions.stream()
                                .map(DatasetVersion::toString)
                                .collect(Collectors.joining(",")))
                .getResultStream()
                .collect(
                        Collectors.toMap(
                                row -> DatasetVersion.parse((String) row[0]),
                                row -> ((Number) row[1]).doubleValue()));
    }
}
