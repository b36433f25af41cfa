package dev.forebay.control.catalogue;

import dev.forebay.model.DatasetName;
import dev.forebay.model.DatasetVersion;
import dev.forebay.model.ErrorCode;
import dev.forebay.model.ForebayException;
import io.quarkus.hibernate.orm.panache.Panache;
import jakarta.enterprise.context.ApplicationScoped;
import jakarta.transaction.Transactional;
import java.time.Instant;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The aliases of datasets, such as {@code prod}: names that users move from one version to another.
 * Thread-safe. Every call is one transaction.
 */
@ApplicationScoped
@NeedsDatabase
@Transactional
public class AliasCatalogue {

    /** The maximum number of aliases of one dataset. */
    private static final int MOST = 100;

    private static final String LIST =
            """
            select name, version, before, moved_at from alias where dataset = :dataset order by name
            """;

    /** Changes nothing if the alias already means this version, so that {@code before} stays. */
    private static final String MOVE =
            """
            insert into alias (dataset, name, version, moved_at)
            values (:dataset, :name, :version, now())
            on conflict (dataset, name) do update
            set before = alias.version, version = excluded.version, moved_at = excluded.moved_at
            where alias.version <> excluded.version
            """;

    private static final String REMOVE =
            "delete from alias where dataset = :dataset and name = :name";

    private final DatasetCatalogue datasets;
    private final VersionCatalogue versions;
    private final NewVersions newVersions;

    AliasCatalogue(DatasetCatalogue datasets, VersionCatalogue versions, NewVersions newVersions) {
        this.datasets = datasets;
        this.versions = versions;
        this.newVersions = newVersions;
    }

    /**
     * An alias of a dataset.
     *
     * @param before the version that the alias meant before its last move; null if it never moved
     */
    public record Alias(
            String name,
            DatasetVersion version,
            @Nullable DatasetVersion before,
            Instant movedAt) {}

    /**
     * Returns the aliases of a dataset, ordered by name.
     *
     * @throws ForebayException {@code NOT_FOUND} if there is no such dataset
     */
    public List<Alias> list(DatasetName dataset) {
        datasets.get(dataset);
        return Panache.getSession()
                .createNativeQuery(LIST, Object[].class)
                .addScalar("name", String.class)
                .addScalar("version", String.class)
                .addScalar("before", String.class)
                .addScalar("moved_at", Instant.class)
                .setParameter("dataset", dataset.toString())
                .getResultStream()
                .map(
                        row ->
                                new Alias(
                                        (String) row[0],
                                        DatasetVersion.parse((String) row[1]),
                                        row[2] == null
                                                ? null
                                                : DatasetVersion.parse((String) row[2]),
                                        (Instant) row[3]))
                .toList();
    }

    /**
     * Points an alias to a version. Creates the alias if necessary.
     *
     * @throws ForebayException {@code NOT_FOUND} if there is no such dataset or version, or the
     *     version is not frozen; {@code INVALID_ARGUMENT} if the dataset has too many aliases;
     *     {@code ALREADY_EXISTS} if a version has this name
     */
    public Alias move(DatasetVersion version, String name) {
        DatasetName dataset = version.dataset();
        datasets.require(dataset);
        newVersions.lockDataset(dataset);
        var _ = versions.manifest(version);
        requireFree(new DatasetVersion(dataset, name));
        Panache.getSession()
                .createNativeMutationQuery(MOVE)
                .setParameter("dataset", dataset.toString())
                .setParameter("name", name)
                .setParameter("version", version.toString())
                .executeUpdate();
        List<Alias> all = list(dataset);
        if (all.size() > MOST) {
            throw new ForebayException(
                    ErrorCode.INVALID_ARGUMENT,
                    "dataset %s has %d aliases, which is the limit: 'forebay alias delete %s ALIAS' removes one"
                            .formatted(dataset, MOST, dataset));
        }
        return all.stream().filter(it -> it.name().equals(name)).findFirst().orElseThrow();
    }

    /**
     * Removes an alias. Does nothing if there is no such alias.
     *
     * @throws ForebayException {@code NOT_FOUND} if there is no such dataset
     */
    public void remove(DatasetName dataset, String name) {
        datasets.get(dataset);
        Panache.getSession()
                .createNativeMutationQuery(REMOVE)
                .setParameter("dataset", dataset.toString())
                .setParameter("name", name)
                .executeUpdate();
    }

    private void requireFree(DatasetVersion named) {
        if (newVersions.isKnown(named)) {
            throw new ForebayException(
                    ErrorCode.ALREADY_EXISTS,
                    "dataset %s has a version named '%s': choose another alias"
                            .formatted(named.dataset(), named.version()));
        }
    }
}
