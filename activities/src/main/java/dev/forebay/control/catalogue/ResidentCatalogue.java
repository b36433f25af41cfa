package dev.forebay.control.catalogue;

import dev.forebay.model.DatasetVersion;
import dev.forebay.model.RegionName;
import io.quarkus.hibernate.orm.panache.Panache;
import jakarta.enterprise.context.ApplicationScoped;
import jakarta.transaction.Transactional;
import java.time.Duration;
import java.time.Instant;
import java.util.HashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;

/**
 * The read model of the versions in each region, as workflows last reported them. Thread-safe.
 * Every call is one transaction.
 */
@ApplicationScoped
@Stored
@Transactional
public class ResidentCatalogue {

    private static final String RESIDENTS =
            """
            select v, r, d from VersionEntity v join v.regions r join DatasetEntity d on d.id = v.dataset
            where r.region = :region and r.state <> 'ABSENT'
            order by r.evictableAt nulls last, v.id
            """;

    private static final String PINNED =
            """
            select distinct v.id from VersionEntity v join v.pins p
            where p.region = :region and p.expiresAt > :now
            """;

    /** Returns up to {@code limit} versions of a region, the next to expire first. */
    public List<Resident> list(RegionName region, Instant now, int limit) {
        Set<String> pinned =
                new HashSet<>(
                        Panache.getEntityManager()
                                .createQuery(PINNED, String.class)
                                .setParameter("region", region.value())
                                .setParameter("now", now)
                                .getResultList());
        return Panache.getEntityManager()
                .createQuery(RESIDENTS, Object[].class)
                .setParameter("region", region.value())
                .setMaxResults(limit)
                .getResultStream()
                .map(row -> resident(row, pinned))
                .toList();
    }

    /** Returns when the dataset of a version was deleted; empty if it was not, or is unknown. */
    public Optional<Instant> deletedAt(DatasetVersion version) {
        DatasetEntity dataset = DatasetEntity.findById(version.dataset().toString());
        return Optional.ofNullable(dataset).map(entity -> entity.deletedAt);
    }

    private static Resident resident(Object[] row, Set<String> pinned) {
        VersionEntity version = (VersionEntity) row[0];
        DatasetEntity dataset = (DatasetEntity) row[2];
        return new Resident(
                DatasetVersion.parse(version.id),
                version.manifest(),
                ((ResidencyRow) row[1]).toResidency(),
                pinned.contains(version.id),
                Duration.ofSeconds(version.ttlSeconds),
                dataset.ttlAfter,
                dataset.deletedAt);
    }
}
