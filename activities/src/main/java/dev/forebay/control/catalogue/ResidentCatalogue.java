package dev.forebay.control.catalogue;

import dev.forebay.model.DatasetVersion;
import dev.forebay.model.RegionName;
import io.quarkus.hibernate.orm.panache.Panache;
import jakarta.enterprise.context.ApplicationScoped;
import jakarta.transaction.Transactional;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.stream.Collectors;

/**
 * The read model of the versions in each region, as workflows last reported them. Thread-safe.
 * Every call is one transaction.
 */
@ApplicationScoped
@NeedsDatabase
@Transactional
public class ResidentCatalogue {

    /** Bounds the memory of a list at some hundred MB. */
    public static final int MOST = 100_000;

    private static final String RESIDENTS =
            """
            select v, r, d from VersionEntity v join v.regions r join DatasetEntity d on d.id = v.dataset
            where r.region = :region and r.state <> 'ABSENT'
            order by r.evictableAt nulls last, v.id
            """;

    private static final String PINNED =
            """
            select v.id, max(p.expiresAt) from VersionEntity v join v.pins p
            where p.region = :region and p.expiresAt > :now
            group by v.id
            """;

    /** Returns up to {@link #MOST} versions of a region, the next to expire first. */
    public List<Resident> list(RegionName region, Instant now) {
        Map<String, Instant> pinned =
                Panache.getEntityManager()
                        .createQuery(PINNED, Object[].class)
                        .setParameter("region", region.value())
                        .setParameter("now", now)
                        .getResultStream()
                        .collect(Collectors.toMap(row -> (String) row[0], row -> (Instant) row[1]));
        return Panache.getEntityManager()
                .createQuery(RESIDENTS, Object[].class)
                .setParameter("region", region.value())
                .setMaxResults(MOST)
                .getResultStream()
                .map(row -> resident(row, pinned))
                .toList();
    }

    /** Returns when the dataset of a version was deleted; empty if it was not, or is unknown. */
    public Optional<Instant> deletedAt(DatasetVersion version) {
        DatasetEntity dataset = DatasetEntity.findById(version.dataset().toString());
        return Optional.ofNullable(dataset).map(entity -> entity.deletedAt);
    }

    private static Resident resident(Object[] row, Map<String, Instant> pinned) {
        VersionEntity version = (VersionEntity) row[0];
        DatasetEntity dataset = (DatasetEntity) row[2];
        return new Resident(
                DatasetVersion.parse(version.id),
                version.manifest(),
                ((ResidencyRow) row[1]).toResidency(),
                pinned.get(version.id),
                Duration.ofSeconds(version.ttlSeconds),
                dataset.ttlAfter,
                dataset.deletedAt);
    }
}
