package dev.forebay.control.catalogue;

import dev.forebay.model.DatasetName;
import dev.forebay.model.DatasetVersion;
import dev.forebay.model.ErrorCode;
import dev.forebay.model.ForebayException;
import io.quarkus.hibernate.orm.panache.Panache;
import io.quarkus.panache.common.Page;
import jakarta.enterprise.context.ApplicationScoped;
import jakarta.transaction.Transactional;
import java.time.Instant;
import java.util.Locale;
import java.util.Optional;
import java.util.regex.Pattern;
import java.util.stream.Stream;

/**
 * Which version somebody means: by its name; by an alias, which people move; by the SHA-256 of its
 * manifest, all 64 digits of it; or by {@code latest}, the one of the dataset that was frozen last.
 * What means a version in another way is no version's name.
 *
 * <p>Safe for use by many threads; every call is one transaction.
 */
@ApplicationScoped
@Stored
@Transactional
public class VersionLookup {

    static final String LATEST = "latest";
    private static final Pattern DIGEST = Pattern.compile("[0-9A-Fa-f]{64}");

    private static final String REMEMBER =
            """
            insert into resolution (dataset, asked, request, version, created_at)
            values (:dataset, :asked, :request, :version, :now) on conflict do nothing
            """;

    private static final String REMEMBERED =
            """
            select version from resolution
            where dataset = :dataset and asked = :asked and request = :request
            """;

    private static final String ALIAS =
            "select version from alias where dataset = :dataset and name = :asked";

    /** In one statement, for every caller waits for it: a request means what it meant before. */
    private static final String REMEMBERED_OR_ALIAS =
            """
            select version, 0 as place from resolution
            where dataset = :dataset and asked = :asked and request = :request
            union all
            select version, 1 from alias where dataset = :dataset and name = :asked
            order by place limit 1
            """;

    private static final String FORGET =
            """
            delete from resolution where ctid in
              (select ctid from resolution
               where created_at < :before
                 and not exists
                   (select 1 from request r
                    where r.version = resolution.version and r.id = resolution.request)
               limit :limit)
            """;

    private final DatasetCatalogue datasets;

    VersionLookup(DatasetCatalogue datasets) {
        this.datasets = datasets;
    }

    /**
     * The version that is meant at this moment. A name is taken as it is, whether there is such a
     * version or not.
     *
     * @throws ForebayException {@code NOT_FOUND} if nothing is meant by a digest, or by {@code
     *     latest}
     */
    public DatasetVersion find(DatasetName dataset, String asked) {
        return isName(asked)
                ? alias(dataset, asked).orElseGet(() -> new DatasetVersion(dataset, asked))
                : present(dataset, asked);
    }

    /**
     * As {@link #find(DatasetName, String)}, the same whenever it is asked for the same request.
     *
     * @throws ForebayException as {@link #find(DatasetName, String)}
     */
    public DatasetVersion find(DatasetName dataset, String asked, String requestId) {
        Optional<Object[]> meant =
                Panache.getSession()
                        .createNativeQuery(REMEMBERED_OR_ALIAS, Object[].class)
                        .setParameter("dataset", dataset.toString())
                        .setParameter("asked", asked)
                        .setParameter("request", requestId)
                        .getResultStream()
                        .findFirst();
        if (meant.isEmpty()) {
            return isName(asked)
                    ? new DatasetVersion(dataset, asked)
                    : remembering(present(dataset, asked), asked, requestId);
        }
        DatasetVersion version = DatasetVersion.parse((String) meant.get()[0]);
        boolean isRemembered = ((Number) meant.get()[1]).intValue() == 0;
        return isRemembered ? version : remembering(version, asked, requestId);
    }

    private static DatasetVersion remembering(
            DatasetVersion meant, String asked, String requestId) {
        remember(meant, asked, requestId);
        // Somebody who sent the same request may have been quicker.
        return remembered(meant.dataset(), asked, requestId).orElse(meant);
    }

    /**
     * The version that was meant by a request.
     *
     * @throws ForebayException {@code NOT_FOUND} if there was no such request
     */
    public DatasetVersion meant(DatasetName dataset, String asked, String requestId) {
        Optional<DatasetVersion> remembered = remembered(dataset, asked, requestId);
        if (remembered.isEmpty() && isName(asked)) {
            return new DatasetVersion(dataset, asked);
        }
        datasets.get(dataset);
        return remembered.orElseThrow(
                () ->
                        new ForebayException(
                                ErrorCode.NOT_FOUND,
                                "no request '%s' on %s@%s is remembered: 'forebay status %s' shows its versions"
                                        .formatted(requestId, dataset, asked, dataset)));
    }

    /**
     * Forgets what up to {@code limit} requests older than {@code before} meant, of those that are
     * forgotten themselves; returns how many.
     */
    public int forget(Instant before, int limit) {
        return Panache.getSession()
                .createNativeMutationQuery(FORGET)
                .setParameter("before", before)
                .setParameter("limit", limit)
                .executeUpdate();
    }

    /**
     * The version that is to have this name.
     *
     * @throws ForebayException {@code INVALID_ARGUMENT} for what means a version in another way
     */
    public DatasetVersion named(DatasetName dataset, String name) {
        requireName("version", name);
        alias(dataset, name)
                .ifPresent(
                        version -> {
                            throw noName("version", name, "an alias of " + version.version());
                        });
        return new DatasetVersion(dataset, name);
    }

    /**
     * Refuses what means a version by itself.
     *
     * @param field to blame
     * @throws ForebayException {@code INVALID_ARGUMENT} if it is {@code latest}, in small letters
     *     or others, or a digest
     */
    public static void requireName(String field, String name) {
        if (name.equalsIgnoreCase(LATEST)) {
            throw noName(field, name, LATEST);
        }
        if (!isName(name)) {
            throw noName(field, name, "a digest");
        }
    }

    private static ForebayException noName(String field, String name, String what) {
        return new ForebayException(
                ErrorCode.INVALID_ARGUMENT,
                "%s '%s': must be a name of its own, not %s".formatted(field, name, what));
    }

    private static Optional<DatasetVersion> alias(DatasetName dataset, String asked) {
        return Panache.getSession()
                .createNativeQuery(ALIAS, String.class)
                .setParameter("dataset", dataset.toString())
                .setParameter("asked", asked)
                .getResultStream()
                .findFirst()
                .map(DatasetVersion::parse);
    }

    /** The version of a dataset that was frozen last, if one was. */
    public Optional<DatasetVersion> latest(DatasetName dataset) {
        return newest(dataset);
    }

    private static boolean isName(String asked) {
        return !asked.equals(LATEST) && !DIGEST.matcher(asked).matches();
    }

    private DatasetVersion present(DatasetName dataset, String asked) {
        datasets.get(dataset);
        return asked.equals(LATEST)
                ? newest(dataset).orElseThrow(() -> noneIsFrozen(dataset))
                : oldestWith(dataset, asked.toLowerCase(Locale.ROOT))
                        .orElseThrow(
                                () ->
                                        new ForebayException(
                                                ErrorCode.NOT_FOUND,
                                                "no version of %s has manifest %s: 'forebay ls %s' lists its versions"
                                                        .formatted(dataset, asked, dataset)));
    }

    private static ForebayException noneIsFrozen(DatasetName dataset) {
        String remedy =
                first(
                                VersionEntity.<VersionEntity>find(
                                        "dataset = ?1 order by createdAt desc, id desc",
                                        dataset.toString())
                                        .page(Page.ofSize(1))
                                        .stream())
                        .map("'forebay status %s' says how far it is"::formatted)
                        .orElse("'forebay freeze %s@NAME' makes one".formatted(dataset));
        return new ForebayException(
                ErrorCode.NOT_FOUND,
                "dataset %s has no frozen version yet: %s".formatted(dataset, remedy));
    }

    private static Optional<DatasetVersion> newest(DatasetName dataset) {
        return first(
                VersionEntity.<VersionEntity>find(
                        "dataset = ?1 and manifestDigest is not null order by frozenAt desc, id desc",
                        dataset.toString())
                        .page(Page.ofSize(1))
                        .stream());
    }

    /** The others with this manifest show the same bytes. */
    private static Optional<DatasetVersion> oldestWith(DatasetName dataset, String digest) {
        return first(
                VersionEntity.<VersionEntity>find(
                        "dataset = ?1 and manifestDigest = ?2 order by frozenAt, id",
                        dataset.toString(),
                        digest)
                        .page(Page.ofSize(1))
                        .stream());
    }

    private static Optional<DatasetVersion> first(Stream<VersionEntity> found) {
        return found.map(entity -> DatasetVersion.parse(entity.id)).findFirst();
    }

    private static void remember(DatasetVersion meant, String asked, String requestId) {
        Panache.getSession()
                .createNativeMutationQuery(REMEMBER)
                .setParameter("dataset", meant.dataset().toString())
                .setParameter("asked", asked)
                .setParameter("request", requestId)
                .setParameter("version", meant.toString())
                .setParameter("now", Instant.now())
                .executeUpdate();
    }

    private static Optional<DatasetVersion> remembered(
            DatasetName dataset, String asked, String requestId) {
        return Panache.getSession()
                .createNativeQuery(REMEMBERED, String.class)
                .setParameter("dataset", dataset.toString())
                .setParameter("asked", asked)
                .setParameter("request", requestId)
                .getResultStream()
                .findFirst()
                .map(DatasetVersion::parse);
    }
}
