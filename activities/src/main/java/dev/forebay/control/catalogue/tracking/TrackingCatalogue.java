package dev.forebay.control.catalogue.tracking;

import dev.forebay.control.catalogue.NeedsDatabase;
import dev.forebay.model.DatasetName;
import dev.forebay.model.DatasetVersion;
import dev.forebay.workflows.activity.TrackingActivities.Check;
import dev.forebay.workflows.message.Problem;
import io.quarkus.hibernate.orm.panache.Panache;
import io.quarkus.panache.common.Page;
import jakarta.enterprise.context.ApplicationScoped;
import jakarta.transaction.Transactional;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/** The datasets that follow their source. Thread-safe. Every call is one transaction. */
@ApplicationScoped
@NeedsDatabase
@Transactional
public class TrackingCatalogue {

    private static final String PUT =
            """
            insert into tracking (dataset, interval_seconds, created_at)
            values (:dataset, :interval, :now)
            on conflict (dataset) do update set interval_seconds = excluded.interval_seconds
            """;

    /** Does not write the interval, because a user may change it meanwhile. */
    private static final String CHECKED =
            """
            update tracking set checked_at = :now, made = :made, objects_changed = :changed,
              objects_added = :added, objects_removed = :removed,
              problem_code = :code, problem_message = :message
            where dataset = :dataset
            """;

    /** Starts following the source of a dataset, or changes the interval. */
    public void put(DatasetName dataset, Duration interval) {
        Panache.getEntityManager()
                .createNativeQuery(PUT)
                .setParameter("dataset", dataset.toString())
                .setParameter("interval", interval.toSeconds())
                .setParameter("now", Instant.now())
                .executeUpdate();
    }

    /** Returns the tracking of a dataset; empty if it does not follow its source. */
    public Optional<Tracking> find(DatasetName dataset) {
        return TrackingEntity.<TrackingEntity>findByIdOptional(dataset.toString())
                .map(TrackingEntity::toTracking);
    }

    /** Stops following the source of a dataset. */
    public void remove(DatasetName dataset) {
        TrackingEntity.deleteById(dataset.toString());
    }

    /** Returns up to {@code limit} entries, ordered by the dataset's name, after {@code after}. */
    public List<Tracking> list(@Nullable DatasetName after, int limit) {
        return TrackingEntity.<TrackingEntity>find(
                        "dataset > ?1 order by dataset", after == null ? "" : after.toString())
                .page(Page.ofSize(limit))
                .stream()
                .map(TrackingEntity::toTracking)
                .toList();
    }

    /**
     * Stores the result of a check. Does nothing if the dataset no longer follows its source.
     *
     * @param problem why the check failed; null if it succeeded
     */
    public void checked(DatasetName dataset, Check check, @Nullable Problem problem) {
        DatasetVersion made = check.made();
        Panache.getSession()
                .createNativeMutationQuery(CHECKED)
                .setParameter("dataset", dataset.toString())
                .setParameter("now", Instant.now())
                .setParameter("made", made == null ? null : made.toString(), String.class)
                .setParameter("changed", check.changed())
                .setParameter("added", check.added())
                .setParameter("removed", check.removed())
                .setParameter("code", problem == null ? null : problem.code().name(), String.class)
                .setParameter("message", problem == null ? null : problem.message(), String.class)
                .executeUpdate();
    }
}
