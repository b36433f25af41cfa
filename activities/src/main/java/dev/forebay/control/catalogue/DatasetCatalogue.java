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
import org.jspecify.annotations.Nullable;

/** The registered datasets. Safe for use by many threads; every call is one transaction. */
@ApplicationScoped
@Stored
@Transactional
public class DatasetCatalogue {

    private static final String ADD_NAMESPACE =
            "insert into namespace (name, created_at) values (:namespace, :now) on conflict do nothing";

    private static final String ADD_DATASET =
            """
            insert into dataset
              (id, namespace, bucket, prefix, include_patterns, exclude_patterns, key_list,
               ttl_seconds, created_at)
            values
              (:id, :namespace, :bucket, :prefix, :include, :exclude, cast(:keys as text), :ttl, :now)
            on conflict do nothing
            """;

    /** What became of a registration. */
    public record Registered(Dataset dataset, boolean created) {}

    /**
     * Registers a dataset, or finds the same one that is there.
     *
     * @param ttl what was asked for, if anything was
     * @throws ForebayException {@code ALREADY_EXISTS} if the name is taken by another source or TTL
     */
    public Registered register(
            DatasetName name, LakeSource source, @Nullable Duration ttl, Duration defaultTtl) {
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
                        .setParameter("now", now)
                        .executeUpdate();
        Dataset dataset = get(name);
        requireSame(dataset, source, ttl);
        return new Registered(dataset, added == 1);
    }

    /**
     * The dataset of this name.
     *
     * @throws ForebayException {@code NOT_FOUND}
     */
    public Dataset get(DatasetName name) {
        DatasetEntity entity = DatasetEntity.findById(name.toString());
        if (entity == null) {
            throw new ForebayException(
                    ErrorCode.NOT_FOUND,
                    "dataset %s is not registered: 'forebay datasets register %s s3://bucket/prefix/' does that"
                            .formatted(name, name));
        }
        return entity.toDataset();
    }

    /** Up to {@code limit} datasets by name, after {@code after}. */
    public List<Dataset> list(@Nullable String namespace, @Nullable DatasetName after, int limit) {
        String from = after == null ? "" : after.toString();
        var query =
                namespace == null
                        ? DatasetEntity.<DatasetEntity>find("id > ?1 order by id", from)
                        : DatasetEntity.<DatasetEntity>find(
                                "namespace = ?1 and id > ?2 order by id", namespace, from);
        return query.page(Page.ofSize(limit)).stream().map(DatasetEntity::toDataset).toList();
    }

    private static void requireSame(Dataset there, LakeSource source, @Nullable Duration ttl) {
        if (!there.source().equals(source)) {
            throw new ForebayException(
                    ErrorCode.ALREADY_EXISTS,
                    "dataset %s is registered with source %s, not %s: choose another name"
                            .formatted(there.name(), there.source().describe(), source.describe()));
        }
        if (ttl != null && !there.ttl().equals(ttl)) {
            throw new ForebayException(
                    ErrorCode.ALREADY_EXISTS,
                    "dataset %s is registered with ttl_seconds %d, not %d: leave it out, or PUT a version's ttl"
                            .formatted(there.name(), there.ttl().toSeconds(), ttl.toSeconds()));
        }
    }
}
