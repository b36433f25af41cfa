package dev.forebay.control.catalogue;

import dev.forebay.model.DatasetVersion;
import dev.forebay.model.Digest;
import dev.forebay.model.ManifestRef;
import dev.forebay.workflows.message.PinGrant;
import dev.forebay.workflows.message.VersionStatus;
import io.quarkus.hibernate.orm.panache.PanacheEntityBase;
import jakarta.persistence.CollectionTable;
import jakarta.persistence.Column;
import jakarta.persistence.ElementCollection;
import jakarta.persistence.Entity;
import jakarta.persistence.Id;
import jakarta.persistence.JoinColumn;
import jakarta.persistence.Table;
import java.time.Duration;
import java.time.Instant;
import java.util.Comparator;
import java.util.HashSet;
import java.util.Set;
import java.util.stream.Collectors;
import org.hibernate.annotations.BatchSize;
import org.jspecify.annotations.Nullable;

/**
 * A row of {@code version} with its read models. Hibernate sets the fields after construction.
 *
 * <p>The collections are sets of records, so replacing one writes only the rows that differ.
 */
@Entity
@Table(name = "version")
@SuppressWarnings("NullAway.Init")
class VersionEntity extends PanacheEntityBase {

    private static final int PAGE = 100;

    @Id String id;

    String dataset;

    @Column(name = "ttl_seconds")
    long ttlSeconds;

    @Column(name = "created_at")
    Instant createdAt;

    /** The database sets this when the manifest is set. */
    @Column(name = "frozen_at", insertable = false, updatable = false)
    @Nullable Instant frozenAt;

    /** The revision of the last status from the workflow. */
    long revision;

    @Column(name = "manifest_digest")
    @Nullable String manifestDigest;

    @Column(name = "manifest_uri")
    @Nullable String manifestUri;

    @Column(name = "manifest_objects")
    @Nullable Long manifestObjects;

    @Column(name = "manifest_bytes")
    @Nullable Long manifestBytes;

    @Column(name = "manifest_chunks")
    @Nullable Long manifestChunks;

    @ElementCollection
    @CollectionTable(name = "residency", joinColumns = @JoinColumn(name = "version"))
    @BatchSize(size = PAGE)
    Set<ResidencyRow> regions = new HashSet<>();

    @ElementCollection
    @CollectionTable(name = "pin", joinColumns = @JoinColumn(name = "version"))
    @BatchSize(size = PAGE)
    Set<PinRow> pins = new HashSet<>();

    @Nullable ManifestRef manifest() {
        if (manifestDigest == null
                || manifestUri == null
                || manifestObjects == null
                || manifestBytes == null
                || manifestChunks == null) {
            return null;
        }
        return new ManifestRef(
                manifestUri,
                new Digest(manifestDigest),
                manifestObjects,
                manifestBytes,
                manifestChunks);
    }

    /** Sets the manifest unless there is one. Returns the manifest that is set. */
    ManifestRef freeze(ManifestRef manifest) {
        ManifestRef present = manifest();
        if (present != null) {
            return present;
        }
        manifestDigest = manifest.digest().hex();
        manifestUri = manifest.uri();
        manifestObjects = manifest.objects();
        manifestBytes = manifest.bytes();
        manifestChunks = manifest.chunks();
        return manifest;
    }

    /**
     * Replaces the read models unless the row has a later revision. The caller has locked the row,
     * so concurrent projections apply one after the other.
     */
    void replaceBy(VersionStatus status, long newRevision) {
        if (newRevision < revision) {
            return;
        }
        revision = newRevision;
        if (status.manifest() != null) {
            freeze(status.manifest());
        }
        ttlSeconds = status.ttl().toSeconds();
        replace(
                regions,
                status.regions().stream().map(ResidencyRow::of).collect(Collectors.toSet()));
        replace(pins, status.pins().stream().map(this::newest).collect(Collectors.toSet()));
    }

    /** Keeps the later expiry: the workflow does not know a renewal that was stored here. */
    private PinRow newest(PinGrant pin) {
        PinRow row = PinRow.of(pin);
        return pins.stream().filter(row::isSamePin).findFirst().map(row::after).orElse(row);
    }

    VersionStatus toStatus() {
        return new VersionStatus(
                DatasetVersion.parse(id),
                manifest(),
                Duration.ofSeconds(ttlSeconds),
                regions.stream()
                        .sorted(Comparator.comparing(ResidencyRow::region))
                        .map(ResidencyRow::toResidency)
                        .toList(),
                pins.stream()
                        .sorted(Comparator.comparing(PinRow::region).thenComparing(PinRow::id))
                        .map(PinRow::toGrant)
                        .toList());
    }

    private static <T> void replace(Set<T> present, Set<T> wanted) {
        present.retainAll(wanted);
        present.addAll(wanted);
    }
}
