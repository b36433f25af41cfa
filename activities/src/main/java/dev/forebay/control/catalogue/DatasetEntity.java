package dev.forebay.control.catalogue;

import dev.forebay.model.DatasetName;
import io.quarkus.hibernate.orm.panache.PanacheEntityBase;
import jakarta.persistence.Column;
import jakarta.persistence.Entity;
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

    String bucket;

    String prefix;

    @Column(name = "include_patterns")
    String include;

    @Column(name = "exclude_patterns")
    String exclude;

    @Column(name = "key_list")
    @Nullable String keyList;

    @Column(name = "ttl_seconds")
    long ttlSeconds;

    @Column(name = "created_at")
    Instant createdAt;

    Dataset toDataset() {
        return new Dataset(
                DatasetName.parse(id),
                new LakeSource(
                        bucket,
                        prefix,
                        PatternLines.split(include),
                        PatternLines.split(exclude),
                        keyList),
                Duration.ofSeconds(ttlSeconds),
                createdAt);
    }
}
