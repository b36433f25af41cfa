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
 * Resolves references to versions: a name, an alias, the 64 hexadecimal digits of the manifest's
 * SHA-256, or {@code latest}, the version that was frozen last. A version cannot be named {@code
 * latest} or like a digest.
 *
 * <p>Thread-safe. Every call is one transaction.
 */
@ApplicationScoped
@NeedsDatabase
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

    /** One statement, because every caller waits for it. A request keeps its first resolution. */
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
     * Returns the version that a reference means now. Returns a name unchanged, whether or not such
     * a version exists.
     *
     * @throws ForebayException {@code NOT_FOUND} if a digest or {@code latest} means no version
     */
    public DatasetVersion find(DatasetName dataset, String asked) {
        return isName(asked)
                ? alias(dataset, asked).orElseGet(() -> new DatasetVersion(dataset, asked))
                : present(dataset, asked);
    }

    /**
     * Resolves a reference for a request. Repeated calls for the same request return the same
     * version.
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
        // A concurrent call for the same request may have been first.
        return remembered(meant.dataset(), asked, requestId).orElse(meant);
    }

    /**
     * Returns the version that a reference meant for an earlier request.
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
                                "no request '%s' on %s@%s is known: 'forebay status %s' shows the versions"
                                        .formatted(requestId, dataset, asked, dataset)));
    }

    /**
     * Deletes up to {@code limit} resolutions older than {@code before} whose requests are deleted.
     * Returns how many it deleted.
     */
    public int forget(Instant before, int limit) {
        return Panache.getSession()
                .createNativeMutationQuery(FORGET)
                .setParameter("before", before)
                .setParameter("limit", limit)
                .executeUpdate();
    }

    /**
     * Returns the version with this name, for a request that may create it.
     *
     * @throws ForebayException {@code INVALID_ARGUMENT} for an alias, {@code latest} or a digest
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
     * Refuses {@code latest} and digests as names.
     *
     * @param field the field of the request, for the message
     * @throws ForebayException {@code INVALID_ARGUMENT} for a digest, or {@code latest} in any case
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
                "%s '%s' must be a new name, not %s".formatted(field, name, what));
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

    /** Returns the version of a dataset that was frozen last; empty if none is frozen. */
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
                        .map("'forebay status %s' shows the progress of its freeze"::formatted)
                        .orElse("create one with 'forebay freeze %s@NAME'".formatted(dataset));
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

    /** Returns the oldest of the versions with this manifest. All of them have the same bytes. */
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
