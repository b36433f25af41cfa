package dev.forebay.control.catalogue.tracking;

import dev.forebay.control.catalogue.DifferenceColumns;
import dev.forebay.control.catalogue.tracking.Tracking.LastCheck;
import dev.forebay.model.DatasetName;
import dev.forebay.model.DatasetVersion;
import dev.forebay.model.ErrorCode;
import dev.forebay.workflows.activity.TrackingActivities.Check;
import dev.forebay.workflows.message.Problem;
import io.quarkus.hibernate.orm.panache.PanacheEntityBase;
import jakarta.persistence.Column;
import jakarta.persistence.Embedded;
import jakarta.persistence.Entity;
import jakarta.persistence.Id;
import jakarta.persistence.Table;
import java.time.Duration;
import java.time.Instant;
import org.jspecify.annotations.Nullable;

/** A row of {@code tracking}. Hibernate sets the fields after construction. */
@Entity
@Table(name = "tracking")
@SuppressWarnings("NullAway.Init")
class TrackingEntity extends PanacheEntityBase {

    @Id String dataset;

    @Column(name = "interval_seconds")
    long intervalSeconds;

    @Column(name = "created_at")
    Instant createdAt;

    @Column(name = "checked_at")
    @Nullable Instant checkedAt;

    @Nullable String made;

    @Embedded DifferenceColumns difference;

    @Column(name = "problem_code")
    @Nullable String problemCode;

    @Column(name = "problem_message")
    @Nullable String problemMessage;

    Tracking toTracking() {
        return new Tracking(
                DatasetName.parse(dataset),
                Duration.ofSeconds(intervalSeconds),
                createdAt,
                checkedAt == null
                        ? null
                        : new LastCheck(
                                checkedAt,
                                new Check(
                                        made == null ? null : DatasetVersion.parse(made),
                                        difference.changed(),
                                        difference.added(),
                                        difference.removed()),
                                problemCode == null || problemMessage == null
                                        ? null
                                        : new Problem(
                                                ErrorCode.named(problemCode), problemMessage)));
    }
}
