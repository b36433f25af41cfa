package dev.forebay.workflows.message;

import dev.forebay.model.DatasetVersion;
import dev.forebay.model.ManifestRef;
import java.time.Duration;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Everything that a version's workflow knows. It answers queries with this record and hands it over
 * by continue-as-new.
 *
 * @param manifest empty until the version is ingested
 * @param regions every region for which the version was ever requested, by name
 * @param pins every pin that the workflow believes alive
 */
public record VersionStatus(
        DatasetVersion version,
        @Nullable ManifestRef manifest,
        Duration ttl,
        List<Residency> regions,
        List<PinGrant> pins) {}
