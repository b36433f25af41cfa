package dev.forebay.control.catalogue;

import dev.forebay.control.catalogue.Origin.ListIdentity;
import dev.forebay.manifest.Comparison;
import dev.forebay.model.DatasetVersion;
import io.quarkus.hibernate.orm.panache.PanacheEntityBase;
import jakarta.persistence.Column;
import jakarta.persistence.Embedded;
import jakarta.persistence.Entity;
import jakarta.persistence.Id;
import jakarta.persistence.Table;
import java.time.Instant;
import org.hibernate.annotations.Immutable;
import org.jspecify.annotations.Nullable;

/** A row of {@code origin}. Hibernate sets the fields after construction. */
@Entity
@Immutable
@Table(name = "origin")
@SuppressWarnings("NullAway.Init")
class OriginEntity extends PanacheEntityBase {

    @Id String version;

    @Embedded SourceColumns source;

    @Column(name = "key_list_etag")
    @Nullable String keyListEtag;

    @Column(name = "key_list_version")
    @Nullable String keyListVersion;

    @Nullable String before;

    @Column(name = "objects_unchanged")
    long unchanged;

    @Embedded DifferenceColumns difference;

    @Column(name = "bytes_new")
    long newBytes;

    @Column(name = "frozen_at")
    Instant frozenAt;

    static OriginEntity of(DatasetVersion version, Origin origin) {
        OriginEntity entity = new OriginEntity();
        entity.version = version.toString();
        entity.source = SourceColumns.of(origin.source());
        ListIdentity keys = origin.keys();
        entity.keyListEtag = keys == null ? null : keys.etag();
        entity.keyListVersion = keys == null ? null : keys.versionId();
        DatasetVersion before = origin.before();
        entity.before = before == null ? null : before.toString();
        Comparison comparison = origin.comparison();
        entity.unchanged = comparison.unchanged();
        entity.difference =
                new DifferenceColumns(
                        comparison.changed(), comparison.added(), comparison.removed());
        entity.newBytes = comparison.newBytes();
        entity.frozenAt = origin.frozenAt();
        return entity;
    }

    Origin toOrigin() {
        return new Origin(
                source.toSource(),
                keyListEtag == null ? null : new ListIdentity(keyListEtag, keyListVersion),
                before == null ? null : DatasetVersion.parse(before),
                new Comparison(
                        unchanged,
                        difference.changed(),
                        difference.added(),
                        difference.removed(),
                        newBytes),
                frozenAt);
    }
}
