package dev.forebay.control.catalogue;

import dev.forebay.control.catalogue.Origin.ListIdentity;
import dev.forebay.manifest.Comparison;
import dev.forebay.model.DatasetVersion;
import io.quarkus.hibernate.orm.panache.PanacheEntityBase;
import jakarta.persistence.Column;
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

    String bucket;

    String prefix;

    @Column(name = "include_patterns")
    String include;

    @Column(name = "exclude_patterns")
    String exclude;

    @Column(name = "key_list")
    @Nullable String keyList;

    @Column(name = "key_list_etag")
    @Nullable String keyListEtag;

    @Column(name = "key_list_version")
    @Nullable String keyListVersion;

    @Nullable String before;

    @Column(name = "objects_unchanged")
    long unchanged;

    @Column(name = "objects_changed")
    long changed;

    @Column(name = "objects_added")
    long added;

    @Column(name = "objects_removed")
    long removed;

    @Column(name = "bytes_new")
    long newBytes;

    @Column(name = "frozen_at")
    Instant frozenAt;

    static OriginEntity of(DatasetVersion version, Origin origin) {
        OriginEntity entity = new OriginEntity();
        entity.version = version.toString();
        entity.bucket = origin.source().bucket();
        entity.prefix = origin.source().prefix();
        entity.include = PatternLines.join(origin.source().include());
        entity.exclude = PatternLines.join(origin.source().exclude());
        entity.keyList = origin.source().keys();
        ListIdentity keys = origin.keys();
        entity.keyListEtag = keys == null ? null : keys.etag();
        entity.keyListVersion = keys == null ? null : keys.versionId();
        DatasetVersion before = origin.before();
        entity.before = before == null ? null : before.toString();
        entity.unchanged = origin.comparison().unchanged();
        entity.changed = origin.comparison().changed();
        entity.added = origin.comparison().added();
        entity.removed = origin.comparison().removed();
        entity.newBytes = origin.comparison().newBytes();
        entity.frozenAt = origin.frozenAt();
        return entity;
    }

    Origin toOrigin() {
        return new Origin(
                new LakeSource(
                        bucket,
                        prefix,
                        PatternLines.split(include),
                        PatternLines.split(exclude),
                        keyList),
                keyListEtag == null ? null : new ListIdentity(keyListEtag, keyListVersion),
                before == null ? null : DatasetVersion.parse(before),
                new Comparison(unchanged, changed, added, removed, newBytes),
                frozenAt);
    }
}
