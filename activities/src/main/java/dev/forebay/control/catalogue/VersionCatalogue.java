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
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Optional;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * The versions, as their workflows described them last. Safe for use by many threads; every call is
 * one transaction.
 */
@ApplicationScoped
@Stored
@Transactional
public class VersionCatalogue {

    private static final String ADD_VERSION =
            """
            insert into version (id, dataset, ttl_seconds, created_at)
            values (:id, :dataset, :ttl, now())
            on conflict do nothing
            """;

    private static final String RESTORE_VERSION =
            """
            insert into version (id, dataset, ttl_seconds, created_at)
            values (:id, :dataset, :ttl, :at)
            on conflict do nothing
            """;

    /** Of a version that was given up before it was frozen nothing is left but its name. */
    private static final String FORGET_RESIDENCY =
            "delete from residency where version = :id and state = 'ABSENT'";

    private static final String FORGET_UNFROZEN =
            """
            delete from version v where v.id = :id and v.manifest_digest is null
              and not exists (select 1 from residency r where r.version = v.id)
              and not exists (select 1 from request q where q.version = v.id)
            """;

    /** Two versions that are both to be the first of a dataset come here one after the other. */
    private static final String LOCK_DATASET =
            "select id from dataset where id = :dataset for no key update";

    /** Frozen, entered a moment ago, being frozen by itself, or wanted in a region. */
    private static final String IS_WANTED =
            """
            (v.manifest_digest is not null
              or not exists (select 1 from residency r where r.version = v.id)
              or exists (select 1 from residency r where r.version = v.id and r.state in (%s)))
            """;

    private static final String IS_KNOWN =
            "select exists (select 1 from version v where v.id = :id and "
                    + IS_WANTED.formatted("'WARMING', 'BLOCKED'")
                    + ")";

    /** A version that could not be frozen, and is BLOCKED, leaves others the right to be first. */
    private static final String HAS_OTHERS =
            "select exists (select 1 from version v where v.dataset = :dataset and v.id <> :id and "
                    + IS_WANTED.formatted("'WARMING'")
                    + ")";

    private static final String KNOWN_NAMES =
            "select v.id from version v where v.dataset = :dataset and "
                    + IS_WANTED.formatted("'WARMING', 'BLOCKED'")
                    + " order by v.created_at desc, v.id desc limit :limit";

    private static final String ALIASES = "select name from alias where dataset = :dataset";

    private static final String IS_ALIAS =
            "select exists (select 1 from alias where dataset = :dataset and dataset || '@' || name = :id)";

    /** More are not compared with a name that somebody may have mistyped. */
    private static final int MOST_NAMES = 1_000;

    private static final int MOST_SUGGESTIONS = 3;

    private static final String NAMES =
            """
            select id from version where id >= :from and id < :until and id > :after order by id
            """;

    private static final String EXPIRED =
            """
            select v.id from VersionEntity v join v.regions r
            where r.region = :region and r.state = 'CACHED' and r.evictableAt < :now
              and not exists (select 1 from v.pins p where p.region = :region and p.expiresAt > :now)
            order by r.evictableAt, v.id
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

    /**
     * Whether there is such a version: it is frozen, or somebody has asked for it and has not given
     * it up.
     */
    public boolean isKnown(DatasetVersion version) {
        return ask(IS_KNOWN, version);
    }

    /**
     * Enters a version that is not known, because somebody has said that it is to be created, or
     * because its dataset has none yet. Else its name may be a mistake: a version that nobody meant
     * would be listed, stored, and {@code latest} from then on.
     *
     * @param create whether somebody has said so
     * @throws ForebayException {@code NOT_FOUND}, with the names that may have been meant; {@code
     *     ALREADY_EXISTS} if an alias has this name; {@code INVALID_ARGUMENT} for what means
     *     another version
     */
    public void enter(DatasetVersion version, Duration ttl, boolean create) {
        VersionLookup.requireName("version", version.version());
        lockDataset(version.dataset());
        if (isKnown(version)) {
            return;
        }
        if (!create && ask(HAS_OTHERS, version)) {
            throw unknown(version);
        }
        if (ask(IS_ALIAS, version)) {
            throw new ForebayException(
                    ErrorCode.ALREADY_EXISTS,
                    "dataset %s has an alias '%s': choose another name for the version"
                            .formatted(version.dataset(), version.version()));
        }
        Panache.getEntityManager()
                .createNativeQuery(FORGET_RESIDENCY)
                .setParameter("id", version.toString())
                .executeUpdate();
        add(version, ttl);
    }

    /** Forgets a version that could not be frozen, if nobody asks for it in a region. */
    public void forgetUnfrozen(DatasetVersion version) {
        lockDataset(version.dataset());
        Panache.getEntityManager()
                .createNativeQuery(FORGET_UNFROZEN)
                .setParameter("id", version.toString())
                .executeUpdate();
    }

    /** What is said of a version that is not known: what may have been meant, and what to do. */
    public ForebayException unknown(DatasetVersion version) {
        List<String> names = new ArrayList<>(knownNames(version.dataset()));
        if (!names.isEmpty() && NearestNames.isNear(version.version(), VersionLookup.LATEST)) {
            names.add(VersionLookup.LATEST);
        }
        List<String> nearest = NearestNames.of(version.version(), names, MOST_SUGGESTIONS);
        return new ForebayException(
                ErrorCode.NOT_FOUND,
                nearest.isEmpty()
                        ? "dataset %s has no version yet: 'forebay ensure %s' creates its first"
                                .formatted(version.dataset(), version)
                        : "dataset %s has no version '%s'; the nearest are %s. 'forebay freeze %s' creates it, and so does 'forebay ensure %s --create'"
                                .formatted(
                                        version.dataset(),
                                        version.version(),
                                        String.join(", ", nearest),
                                        version,
                                        version));
    }

    private static List<String> knownNames(DatasetName dataset) {
        Stream<String> versions =
                Panache.getSession()
                        .createNativeQuery(KNOWN_NAMES, String.class)
                        .setParameter("dataset", dataset.toString())
                        .setParameter("limit", MOST_NAMES)
                        .getResultStream()
                        .map(id -> DatasetVersion.parse(id).version());
        Stream<String> aliases =
                Panache.getSession()
                        .createNativeQuery(ALIASES, String.class)
                        .setParameter("dataset", dataset.toString())
                        .getResultStream();
        return Stream.concat(versions, aliases).toList();
    }

    private static boolean ask(String question, DatasetVersion version) {
        var query = Panache.getSession().createNativeQuery(question, Boolean.class);
        query.setParameter("id", version.toString());
        if (question.contains(":dataset")) {
            query.setParameter("dataset", version.dataset().toString());
        }
        return query.getSingleResult();
    }

    /** Has others wait who want a new name in the dataset, until this transaction is over. */
    void lockDataset(DatasetName dataset) {
        var _ =
                Panache.getSession()
                        .createNativeQuery(LOCK_DATASET, String.class)
                        .setParameter("dataset", dataset.toString())
                        .getResultList();
    }

    private void add(DatasetVersion version, Duration ttl) {
        Panache.getEntityManager()
                .createNativeQuery(ADD_VERSION)
                .setParameter("id", version.toString())
                .setParameter("dataset", version.dataset().toString())
                .setParameter("ttl", ttl.toSeconds())
                .executeUpdate();
    }

    /** What is known of a version. */
    public Optional<VersionStatus> find(DatasetVersion version) {
        return VersionEntity.<VersionEntity>findByIdOptional(version.toString())
                .map(VersionEntity::toStatus);
    }

    /**
     * The manifest of a version.
     *
     * @throws ForebayException {@code NOT_FOUND} if there is no such version, or it is not frozen
     */
    public ManifestRef manifest(DatasetVersion version) {
        VersionStatus known = find(version).orElseThrow(() -> unknown(version));
        ManifestRef manifest = known.manifest();
        if (manifest == null) {
            throw new ForebayException(
                    ErrorCode.NOT_FOUND,
                    "version %s is not frozen yet: 'forebay freeze %s' does that"
                            .formatted(version, version));
        }
        return manifest;
    }

    /** What is known of these, as far as anything is; in no order. */
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

    /** Up to {@code limit} versions of a dataset by name, after {@code after}. */
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
     * A version's row.
     *
     * @param revision of the status that its workflow told last; 0 if none did
     */
    public record Row(VersionStatus status, long revision) {}

    /**
     * The names of up to {@code limit} versions of any datasets, after {@code after}.
     *
     * @param from the first name there may be
     * @param until greater than the last name there may be
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

    /** A version's row; empty if it is not in the catalogue. */
    public Optional<Row> row(DatasetVersion version) {
        return VersionEntity.<VersionEntity>findByIdOptional(version.toString())
                .map(entity -> new Row(entity.toStatus(), entity.revision));
    }

    /**
     * Replaces what is known of a version by what its workflow says now, whatever it told last: a
     * workflow that was restored from a backup counts its revisions from an earlier one. Does
     * nothing if the workflow has told something meanwhile.
     *
     * @param revision of the row before the workflow was asked
     */
    public void correct(VersionStatus status, long revision) {
        VersionEntity entity = locked(status.version());
        if (entity.revision == revision) {
            entity.revision = 0;
            entity.replaceBy(status, 0);
        }
    }

    /**
     * Gives a version its manifest and returns it; the first one wins and stays.
     *
     * @param origin what the manifest was made from; kept if it is the first one
     * @throws ForebayException {@code NOT_FOUND} if the version was never entered
     */
    public ManifestRef freeze(DatasetVersion version, ManifestRef manifest, Origin origin) {
        VersionEntity entity = locked(version);
        if (entity.manifest() == null) {
            OriginEntity.of(version, origin).persist();
        }
        return entity.freeze(manifest);
    }

    /** Enters a version with its manifest, in one step; of one that is frozen nothing changes. */
    public ManifestRef addFrozen(
            DatasetVersion version, Duration ttl, ManifestRef manifest, Origin origin) {
        add(version, ttl);
        return freeze(version, manifest, origin);
    }

    /**
     * Enters a version as it was frozen once, in the place among others that it had then.
     *
     * @return false if it is there with a manifest
     * @throws ForebayException {@code ALREADY_EXISTS} if it is there with another one
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
                    "version %s has manifest %s in the catalogue, and %s beside the manifests"
                            .formatted(version, there.digest(), manifest.digest()));
        }
        freeze(version, manifest, origin);
        return there == null;
    }

    /** What a version was made from; empty until it is frozen. */
    public Optional<Origin> origin(DatasetVersion version) {
        return OriginEntity.<OriginEntity>findByIdOptional(version.toString())
                .map(OriginEntity::toOrigin);
    }

    /** A version that is frozen. */
    public record Frozen(DatasetVersion version, ManifestRef manifest) {}

    /** The dataset's version that was frozen last, {@code version} left out. */
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
     * Replaces what is known of a version, except its manifest, which is only ever set; does
     * nothing if something later is known. Idempotent.
     *
     * @param revision grows with every status of the version
     * @throws ForebayException {@code NOT_FOUND} if the version was never entered; {@code
     *     INVALID_ARGUMENT} for values that the database cannot hold
     */
    public void replace(VersionStatus status, long revision) {
        locked(status.version()).replaceBy(status, revision);
    }

    /**
     * Takes note of a renewal, which the version's workflow does not hear of. Of a pin that is not
     * known, or not any more, there is nothing to be noted.
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

    /** Up to {@code limit} versions whose time in the region has passed, longest first. */
    public List<DatasetVersion> expired(RegionName region, Instant now, int limit) {
        return Panache.getEntityManager()
                .createQuery(EXPIRED, String.class)
                .setParameter("region", region.value())
                .setParameter("now", now)
                .setMaxResults(limit)
                .getResultStream()
                .map(DatasetVersion::parse)
                .toList();
    }

    /**
     * Up to {@code limit} versions of a dataset that are complete in a region, the newest first.
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

    /** One writer at a time: two projections of a version never mix. */
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
