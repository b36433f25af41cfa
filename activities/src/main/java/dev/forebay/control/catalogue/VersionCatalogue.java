package dev.forebay.control.catalogue;

import dev.forebay.model.DatasetName;
import dev.forebay.model.DatasetVersion;
import dev.forebay.model.ErrorCode;
import dev.forebay.model.ForebayException;
import dev.forebay.model.ManifestRef;
import dev.forebay.model.RegionName;
import dev.forebay.workflows.message.VersionStatus;
import io.quarkus.hibernate.orm.panache.Panache;
import io.quarkus.panache.common.Page;
import jakarta.enterprise.context.ApplicationScoped;
import jakarta.persistence.LockModeType;
import jakarta.transaction.Transactional;
import java.time.Duration;
import java.time.Instant;
import java.util.Collection;
import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * The read model of versions, as their workflows last reported them. Thread-safe. Every call is one
 * transaction.
 */
@ApplicationScoped
@NeedsDatabase
@Transactional
public class VersionCatalogue {

    private static final String RESTORE_VERSION =
            """
            insert into version (id, dataset, ttl_seconds, created_at)
            values (:id, :dataset, :ttl, :at)
            on conflict do nothing
            """;

    private static final String NAMES =
            """
            select id from version where id >= :from and id < :until and id > :after order by id
            """;

    private static final String RENEWED =
            """
            update pin set expires_at = greatest(expires_at, :until)
            where version = :version and region = :region and id = :pin
            """;

    private static final String CACHED =
            """
            select v.id from VersionEntity v join v.regions r
            where v.dataset = :dataset and r.region = :region and r.state = 'CACHED'
            order by v.frozenAt desc, v.id desc
            """;

    private final NewVersions newVersions;

    VersionCatalogue(NewVersions newVersions) {
        this.newVersions = newVersions;
    }

    /** Returns the status of a version. */
    public Optional<VersionStatus> find(DatasetVersion version) {
        return VersionEntity.<VersionEntity>findByIdOptional(version.toString())
                .map(VersionEntity::toStatus);
    }

    /**
     * Returns the status of a version.
     *
     * @throws ForebayException {@code NOT_FOUND} if there is no such version, with the nearest
     *     names
     */
    public VersionStatus get(DatasetVersion version) {
        return find(version).orElseThrow(() -> newVersions.unknown(version));
    }

    /**
     * Returns the manifest of a version.
     *
     * @throws ForebayException {@code NOT_FOUND} if there is no such version, or it is not frozen
     */
    public ManifestRef manifest(DatasetVersion version) {
        ManifestRef manifest = get(version).manifest();
        if (manifest == null) {
            throw new ForebayException(
                    ErrorCode.NOT_FOUND,
                    "version %s is not frozen yet: freeze it with 'forebay freeze %s'"
                            .formatted(version, version));
        }
        return manifest;
    }

    /** Returns the status of those versions that are known, in any order. */
    public List<VersionStatus> find(Collection<DatasetVersion> versions) {
        return versions.isEmpty()
                ? List.of()
                : VersionEntity.<VersionEntity>find(
                                "id in ?1",
                                versions.stream().map(DatasetVersion::toString).toList())
                        .stream()
                        .map(VersionEntity::toStatus)
                        .toList();
    }

    /** Returns up to {@code limit} versions of a dataset, ordered by name, after {@code after}. */
    public List<VersionStatus> list(
            DatasetName dataset, @Nullable DatasetVersion after, int limit) {
        return VersionEntity.<VersionEntity>find(
                        "dataset = ?1 and id > ?2 order by id",
                        dataset.toString(),
                        after == null ? "" : after.toString())
                .page(Page.ofSize(limit))
                .stream()
                .map(VersionEntity::toStatus)
                .toList();
    }

    /**
     * The row of a version.
     *
     * @param revision the revision of the last status from its workflow; 0 if there was none
     */
    public record Row(VersionStatus status, long revision) {}

    /**
     * Returns the names of up to {@code limit} versions of any dataset, after {@code after}.
     *
     * @param from the lower bound of names, inclusive
     * @param until the upper bound of names, exclusive
     */
    public List<DatasetVersion> names(String from, String until, String after, int limit) {
        return Panache.getSession()
                .createNativeQuery(NAMES, String.class)
                .setParameter("from", from)
                .setParameter("until", until)
                .setParameter("after", after)
                .setMaxResults(limit)
                .getResultStream()
                .map(DatasetVersion::parse)
                .toList();
    }

    /** Returns the row of a version; empty if it is not in the catalogue. */
    public Optional<Row> row(DatasetVersion version) {
        return VersionEntity.<VersionEntity>findByIdOptional(version.toString())
                .map(entity -> new Row(entity.toStatus(), entity.revision));
    }

    /**
     * Replaces the status of a version even if the stored revision is higher, because a workflow
     * restored from a backup counts from an earlier revision. Does nothing if the workflow has
     * reported a status meanwhile.
     *
     * @param revision the revision of the row before the caller asked the workflow
     */
    public void correct(VersionStatus status, long revision) {
        VersionEntity entity = locked(status.version());
        if (entity.revision == revision) {
            entity.revision = 0;
            entity.replaceBy(status, 0);
        }
    }

    /**
     * Stores the manifest of a version unless it has one. Returns the manifest that is stored.
     *
     * @param origin the listing from which the manifest was made; stored with the manifest
     * @throws ForebayException {@code NOT_FOUND} if the version was never entered
     */
    public ManifestRef freeze(DatasetVersion version, ManifestRef manifest, Origin origin) {
        VersionEntity entity = locked(version);
        if (entity.manifest() == null) {
            OriginEntity.of(version, origin).persist();
        }
        return entity.freeze(manifest);
    }

    /**
     * Enters a version together with its manifest. Changes nothing if the version is frozen.
     * Returns the manifest that is stored.
     */
    public ManifestRef addFrozen(
            DatasetVersion version, Duration ttl, ManifestRef manifest, Origin origin) {
        newVersions.add(version, ttl);
        return freeze(version, manifest, origin);
    }

    /**
     * Enters a version that was frozen earlier, with its original time, so that it keeps its place
     * in the order of versions.
     *
     * @return false if the catalogue has the version with this manifest
     * @throws ForebayException {@code ALREADY_EXISTS} if the catalogue has it with another manifest
     */
    public boolean restore(
            DatasetVersion version, Duration ttl, ManifestRef manifest, Origin origin) {
        Panache.getEntityManager()
                .createNativeQuery(RESTORE_VERSION)
                .setParameter("id", version.toString())
                .setParameter("dataset", version.dataset().toString())
                .setParameter("ttl", ttl.toSeconds())
                .setParameter("at", origin.frozenAt())
                .executeUpdate();
        ManifestRef there = locked(version).manifest();
        if (there != null && !there.equals(manifest)) {
            throw new ForebayException(
                    ErrorCode.ALREADY_EXISTS,
                    "version %s has manifest %s in the catalogue, but its pointer in the manifest bucket names %s: check it with 'forebay fsck %s'"
                            .formatted(version, there.digest(), manifest.digest(), version));
        }
        freeze(version, manifest, origin);
        return there == null;
    }

    /** Returns the listing from which a version was made; empty until the version is frozen. */
    public Optional<Origin> origin(DatasetVersion version) {
        return OriginEntity.<OriginEntity>findByIdOptional(version.toString())
                .map(OriginEntity::toOrigin);
    }

    /** A frozen version. */
    public record Frozen(DatasetVersion version, ManifestRef manifest) {}

    /** Returns the version of the dataset that was frozen last, except {@code version} itself. */
    public Optional<Frozen> frozenBefore(DatasetVersion version) {
        return VersionEntity.<VersionEntity>find(
                        "dataset = ?1 and id <> ?2 and manifestDigest is not null order by frozenAt desc, id desc",
                        version.dataset().toString(),
                        version.toString())
                .page(Page.ofSize(1))
                .firstResultOptional()
                .flatMap(
                        entity ->
                                Optional.ofNullable(entity.manifest())
                                        .map(
                                                manifest ->
                                                        new Frozen(
                                                                DatasetVersion.parse(entity.id),
                                                                manifest)));
    }

    /**
     * Replaces the status of a version, except its manifest, which is only ever set. Does nothing
     * if the catalogue has a later revision. Idempotent.
     *
     * @param revision grows with every status of the version
     * @throws ForebayException {@code NOT_FOUND} if the version was never entered; {@code
     *     INVALID_ARGUMENT} for values that the database cannot store
     */
    public void replace(VersionStatus status, long revision) {
        locked(status.version()).replaceBy(status, revision);
    }

    /**
     * Stores the new expiry of a renewed pin. The workflow does not see renewals. Does nothing if
     * the pin is unknown or has ended.
     */
    public void renewed(DatasetVersion version, RegionName region, String pin, Instant expiresAt) {
        VersionEntity entity = locked(version);
        Panache.getEntityManager()
                .createNativeQuery(RENEWED)
                .setParameter("version", entity.id)
                .setParameter("region", region.value())
                .setParameter("pin", pin)
                .setParameter("until", expiresAt)
                .executeUpdate();
    }

    /**
     * Returns up to {@code limit} versions of a dataset that are complete in a region, the newest
     * first.
     */
    public List<DatasetVersion> cached(DatasetName dataset, RegionName region, int limit) {
        return Panache.getEntityManager()
                .createQuery(CACHED, String.class)
                .setParameter("dataset", dataset.toString())
                .setParameter("region", region.value())
                .setMaxResults(limit)
                .getResultStream()
                .map(DatasetVersion::parse)
                .toList();
    }

    /** Locks the row, so that two projections of a version never mix. */
    private VersionEntity locked(DatasetVersion version) {
        VersionEntity entity =
                Panache.getEntityManager()
                        .find(
                                VersionEntity.class,
                                version.toString(),
                                LockModeType.PESSIMISTIC_WRITE);
        if (entity == null) {
            throw new ForebayException(
                    ErrorCode.NOT_FOUND, "version %s is not in the catalogue".formatted(version));
        }
        return entity;
    }
}
