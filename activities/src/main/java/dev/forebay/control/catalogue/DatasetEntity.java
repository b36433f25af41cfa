package dev.forebay.control.catalogue;

import dev.forebay.model.DatasetName;
import io.quarkus.hibernate.orm.panache.PanacheEntityBase;
import jakarta.persistence.Column;
import jakarta.persistence.Embedded;
import jakarta.persistence.Entity;
import jakarta.persistence.EnumType;
import jakarta.persistence.Enumerated;
import jakarta.persistence.Id;
import jakarta.persistence.Table;
import java.time.Duration;
import java.time.Instant;
import org.hibernate.annotations.Immutable;
import org.jspecify.annotations.Nullable;

/** A row of {@code dataset}. Hibernate sets the fields after construction. */
@Entity
@Immutable
@Table(name = "dataset")
@SuppressWarnings("NullAway.Init")
class DatasetEntity extends PanacheEntityBase {

    @Id String id;

    String namespace;

    @Embedded SourceColumns source;

    @Column(name = "ttl_seconds")
    long ttlSeconds;

    @Enumerated(EnumType.STRING)
    @Column(name = "ttl_after")
    TtlAfter ttlAfter;

    @Column(name = "created_at")
    Instant createdAt;

    @Column(name = "deleted_at")
    @Nullable Instant deletedAt;

    Dataset toDataset() {
        return new Dataset(
                DatasetName.parse(id),
                source.toSource(),
                Duration.ofSeconds(ttlSeconds),
                ttlAfter,
                createdAt,
                deletedAt);
    }
}
