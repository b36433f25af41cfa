package dev.forebay.control.catalogue;

import dev.forebay.model.DatasetName;
import dev.forebay.model.ErrorCode;
import dev.forebay.model.ForebayException;
import io.quarkus.hibernate.orm.panache.Panache;
import io.quarkus.panache.common.Page;
import jakarta.enterprise.context.ApplicationScoped;
import jakarta.transaction.Transactional;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Locale;
import org.jspecify.annotations.Nullable;

/** The registered datasets. Thread-safe. Every call is one transaction. */
@ApplicationScoped
@NeedsDatabase
@Transactional
public class DatasetCatalogue {

    private static final String ADD_NAMESPACE =
            "insert into namespace (name, created_at) values (:namespace, :now) on conflict do nothing";

    private static final String ADD_DATASET =
            """
            insert into dataset
              (id, namespace, bucket, prefix, include_patterns, exclude_patterns, key_list,
               ttl_seconds, ttl_after, created_at)
            values
              (:id, :namespace, :bucket, :prefix, :include, :exclude, cast(:keys as text), :ttl,
               :after, :now)
            on conflict do nothing
            """;

    private static final String DELETE =
            "update dataset set deleted_at = :now where id = :id and deleted_at is null";

    private static final String REVIVE =
            "update dataset set deleted_at = null where id = :id and deleted_at is not null";

    private static final String SET_TTL =
            """
            update dataset set ttl_seconds = :value where id = :id and deleted_at is null
            """;

    private static final String SET_TTL_AFTER =
            """
            update dataset set ttl_after = :value where id = :id and deleted_at is null
            """;

    private static final String NAMES =
            "select id from dataset where deleted_at is null order by created_at desc, id limit :limit";

    /** Bounds the number of names that are compared with a mistyped one. */
    private static final int MOST_NAMES = 1_000;

    private static final int MOST_SUGGESTIONS = 3;

    /**
     * The result of a registration.
     *
     * @param created false if the same dataset was registered already
     */
    public record Registered(Dataset dataset, boolean created) {}

    /**
     * Registers a dataset, or returns it if the same one is registered. Revives a deleted dataset.
     * A deleted dataset keeps its name and source, so that a version never comes to mean other
     * bytes.
     *
     * @param ttl the requested time to live; null if the request names none
     * @param ttlAfter the requested start of the time to live; null if the request names none
     * @throws ForebayException {@code ALREADY_EXISTS} if the dataset has another source or time to
     *     live
     */
    public Registered register(
            DatasetName name,
            LakeSource source,
            @Nullable Duration ttl,
            @Nullable TtlAfter ttlAfter,
            Duration defaultTtl) {
        Instant now = Instant.now();
        Panache.getEntityManager()
                .createNativeQuery(ADD_NAMESPACE)
                .setParameter("namespace", name.namespace())
                .setParameter("now", now)
                .executeUpdate();
        Duration effective = ttl == null ? defaultTtl : ttl;
        int added =
                Panache.getEntityManager()
                        .createNativeQuery(ADD_DATASET)
                        .setParameter("id", name.toString())
                        .setParameter("namespace", name.namespace())
                        .setParameter("bucket", source.bucket())
                        .setParameter("prefix", source.prefix())
                        .setParameter("include", PatternLines.join(source.include()))
                        .setParameter("exclude", PatternLines.join(source.exclude()))
                        .setParameter("keys", source.keys())
                        .setParameter("ttl", effective.toSeconds())
                        .setParameter("after", (ttlAfter == null ? TtlAfter.PIN : ttlAfter).name())
                        .setParameter("now", now)
                        .executeUpdate();
        Dataset dataset = get(name);
        requireSame(dataset, source, ttl, ttlAfter);
        boolean revived =
                Panache.getEntityManager()
                                .createNativeQuery(REVIVE)
                                .setParameter("id", name.toString())
                                .executeUpdate()
                        == 1;
        return new Registered(dataset.undeleted(), added == 1 || revived);
    }

    /**
     * Changes the time to live of a dataset.
     *
     * @param ttl for versions created from now on; null keeps the value
     * @param ttlAfter for all versions; null keeps the value
     * @throws ForebayException {@code NOT_FOUND} if the dataset is unknown or deleted
     */
    public Dataset setTtl(DatasetName name, @Nullable Duration ttl, @Nullable TtlAfter ttlAfter) {
        // Writes each value alone, because another request may change the other one meanwhile.
        if (ttl != null) {
            update(SET_TTL, name, ttl.toSeconds());
        }
        if (ttlAfter != null) {
            update(SET_TTL_AFTER, name, ttlAfter.name());
        }
        return require(name);
    }

    private static void update(String statement, DatasetName name, Object value) {
        int _ =
                Panache.getEntityManager()
                        .createNativeQuery(statement)
                        .setParameter("id", name.toString())
                        .setParameter("value", value)
                        .executeUpdate();
    }

    /**
     * Marks a dataset as deleted. Does nothing if it is deleted. The next sweep of each region
     * evicts its copies.
     *
     * @throws ForebayException {@code NOT_FOUND} if it was never registered
     */
    public void delete(DatasetName name) {
        Dataset there = get(name);
        Panache.getEntityManager()
                .createNativeQuery(DELETE)
                .setParameter("id", there.name().toString())
                .setParameter("now", Instant.now())
                .executeUpdate();
    }

    /**
     * Returns a dataset that may get new versions and pins.
     *
     * @throws ForebayException {@code NOT_FOUND} if the dataset is unknown or deleted
     */
    public Dataset require(DatasetName name) {
        Dataset dataset = get(name);
        if (dataset.deletedAt() != null) {
            throw new ForebayException(
                    ErrorCode.NOT_FOUND,
                    "dataset %s was deleted at %s: '%s' restores it"
                            .formatted(
                                    name,
                                    dataset.deletedAt(),
                                    dataset.source().registration(name)));
        }
        return dataset;
    }

    /** Returns whether a dataset of this name is registered, deleted or not. */
    public boolean isKnown(DatasetName name) {
        return DatasetEntity.findById(name.toString()) != null;
    }

    /**
     * Returns a dataset, deleted or not.
     *
     * @throws ForebayException {@code NOT_FOUND} if it was never registered
     */
    public Dataset get(DatasetName name) {
        DatasetEntity entity = DatasetEntity.findById(name.toString());
        if (entity == null) {
            throw unknown(name);
        }
        return entity.toDataset();
    }

    private static ForebayException unknown(DatasetName name) {
        List<String> nearest = NearestNames.of(name.toString(), names(), MOST_SUGGESTIONS);
        return new ForebayException(
                ErrorCode.NOT_FOUND,
                "dataset %s is not registered%s. Register it with 'forebay datasets register %s s3://bucket/prefix/'"
                        .formatted(
                                name,
                                nearest.isEmpty()
                                        ? ""
                                        : "; similar names are " + String.join(", ", nearest),
                                name));
    }

    private static List<String> names() {
        return Panache.getSession()
                .createNativeQuery(NAMES, String.class)
                .setParameter("limit", MOST_NAMES)
                .getResultList();
    }

    /**
     * Returns up to {@code limit} datasets that are not deleted, ordered by name, after {@code
     * after}.
     */
    public List<Dataset> list(@Nullable String namespace, @Nullable DatasetName after, int limit) {
        String from = after == null ? "" : after.toString();
        var query =
                namespace == null
                        ? DatasetEntity.<DatasetEntity>find(
                                "id > ?1 and deletedAt is null order by id", from)
                        : DatasetEntity.<DatasetEntity>find(
                                "namespace = ?1 and id > ?2 and deletedAt is null order by id",
                                namespace,
                                from);
        return query.page(Page.ofSize(limit)).stream().map(DatasetEntity::toDataset).toList();
    }

    private static void requireSame(
            Dataset there, LakeSource source, @Nullable Duration ttl, @Nullable TtlAfter ttlAfter) {
        if (!there.source().equals(source)) {
            throw new ForebayException(
                    ErrorCode.ALREADY_EXISTS,
                    "dataset %s has the source %s, which cannot change to %s: choose another name, for example '%s'"
                            .formatted(
                                    there.name(),
                                    there.source().describe(),
                                    source.describe(),
                                    source.registration(there.name().another())));
        }
        if (ttl != null && !there.ttl().equals(ttl)) {
            throw new ForebayException(
                    ErrorCode.ALREADY_EXISTS,
                    "dataset %s already has ttl_seconds %d, not %d: change it with 'forebay datasets ttl %s --ttl %ds'"
                            .formatted(
                                    there.name(),
                                    there.ttl().toSeconds(),
                                    ttl.toSeconds(),
                                    there.name(),
                                    ttl.toSeconds()));
        }
        if (ttlAfter != null && there.ttlAfter() != ttlAfter) {
            throw new ForebayException(
                    ErrorCode.ALREADY_EXISTS,
                    "dataset %s already has ttl_after %s, not %s: change it with 'forebay datasets ttl %s --ttl-after %s'"
                            .formatted(
                                    there.name(),
                                    written(there.ttlAfter()),
                                    written(ttlAfter),
                                    there.name(),
                                    written(ttlAfter)));
        }
    }

    private static String written(TtlAfter after) {
        return after.name().toLowerCase(Locale.ROOT);
    }
}
