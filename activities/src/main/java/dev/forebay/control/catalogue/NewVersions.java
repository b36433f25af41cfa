package dev.forebay.control.catalogue;

import dev.forebay.model.DatasetName;
import dev.forebay.model.DatasetVersion;
import dev.forebay.model.ErrorCode;
import dev.forebay.model.ForebayException;
import io.quarkus.hibernate.orm.panache.Panache;
import jakarta.enterprise.context.ApplicationScoped;
import jakarta.transaction.Transactional;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;

/**
 * Enters new versions into the catalogue, and decides which names of versions count. Thread-safe.
 * Every call is one transaction.
 */
@ApplicationScoped
@NeedsDatabase
@Transactional
public class NewVersions {

    private static final String ADD_VERSION =
            """
            insert into version (id, dataset, ttl_seconds, created_at)
            values (:id, :dataset, :ttl, now())
            on conflict do nothing
            """;

    /**
     * Removes the ABSENT rows of a version that was given up before it was frozen, so that it
     * counts as new.
     */
    private static final String FORGET_RESIDENCY =
            "delete from residency where version = :id and state = 'ABSENT'";

    private static final String FORGET_UNFROZEN =
            """
            delete from version v where v.id = :id and v.manifest_digest is null
              and not exists (select 1 from residency r where r.version = v.id)
              and not exists (select 1 from request q where q.version = v.id)
            """;

    /** Serializes concurrent requests that would create the first version of a dataset. */
    private static final String LOCK_DATASET =
            "select id from dataset where id = :dataset for no key update";

    /**
     * Whether a version counts: it is frozen, it has no residency yet, or a region is in one of the
     * given states. A version without a residency was just entered, or is frozen without a region.
     */
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

    /**
     * A BLOCKED version that could not be frozen does not count, so another one can be the first.
     */
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

    /** Bounds the number of names that are compared with a mistyped one. */
    private static final int MOST_NAMES = 1_000;

    private static final int MOST_SUGGESTIONS = 3;

    /**
     * Returns whether there is such a version: it is frozen, or a client has requested it and the
     * request was not given up.
     */
    public boolean isKnown(DatasetVersion version) {
        return ask(IS_KNOWN, version);
    }

    /** Returns whether a version would be the first of its dataset. */
    public boolean isFirst(DatasetVersion version) {
        return !ask(HAS_OTHERS, version) && !isKnown(version);
    }

    /**
     * Enters a version if a client asks to create it, or if its dataset has none yet. An unknown
     * name may otherwise be a mistake: an unwanted version would be listed, stored, and {@code
     * latest} from then on. Does nothing if the version is known.
     *
     * @param create whether the client asks to create the version
     * @throws ForebayException {@code NOT_FOUND}, with the nearest names; {@code ALREADY_EXISTS} if
     *     an alias has this name; {@code INVALID_ARGUMENT} for {@code latest} or a digest
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
                    "dataset %s has an alias named '%s': choose another name for the version"
                            .formatted(version.dataset(), version.version()));
        }
        Panache.getEntityManager()
                .createNativeQuery(FORGET_RESIDENCY)
                .setParameter("id", version.toString())
                .executeUpdate();
        add(version, ttl);
    }

    /** Deletes a version that could not be frozen, unless a region or a request refers to it. */
    public void forgetUnfrozen(DatasetVersion version) {
        lockDataset(version.dataset());
        Panache.getEntityManager()
                .createNativeQuery(FORGET_UNFROZEN)
                .setParameter("id", version.toString())
                .executeUpdate();
    }

    /**
     * Returns the error for an unknown version, with the nearest names and the command that creates
     * it.
     */
    public ForebayException unknown(DatasetVersion version) {
        List<String> names = new ArrayList<>(knownNames(version.dataset()));
        if (!names.isEmpty() && NearestNames.isNear(version.version(), VersionLookup.LATEST)) {
            names.add(VersionLookup.LATEST);
        }
        List<String> nearest = NearestNames.of(version.version(), names, MOST_SUGGESTIONS);
        return new ForebayException(
                ErrorCode.NOT_FOUND,
                nearest.isEmpty()
                        ? "dataset %s has no version yet: create the first one with 'forebay ensure %s'"
                                .formatted(version.dataset(), version)
                        : "dataset %s has no version '%s'; similar names are %s. Create it with 'forebay freeze %s', or with 'forebay ensure %s --create'"
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

    /**
     * Makes other transactions that want a new name in the dataset wait for the end of this one.
     */
    void lockDataset(DatasetName dataset) {
        var _ =
                Panache.getSession()
                        .createNativeQuery(LOCK_DATASET, String.class)
                        .setParameter("dataset", dataset.toString())
                        .getResultList();
    }

    /** Enters a version without any check. Does nothing if the catalogue has it. */
    void add(DatasetVersion version, Duration ttl) {
        Panache.getEntityManager()
                .createNativeQuery(ADD_VERSION)
                .setParameter("id", version.toString())
                .setParameter("dataset", version.dataset().toString())
                .setParameter("ttl", ttl.toSeconds())
                .executeUpdate();
    }
}
