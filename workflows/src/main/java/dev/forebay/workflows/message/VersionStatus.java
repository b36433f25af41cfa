package dev.forebay.workflows.message;

import dev.forebay.model.DatasetVersion;
import dev.forebay.model.ManifestRef;
import java.time.Duration;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Everything a version's workflow knows, as it answers queries and as it carries itself over
 * continue-as-new.
 *
 * @param manifest empty until it is ingested
 * @param regions every region that was ever asked for, by name
 * @param pins every pin that the workflow believes alive
 */
public record VersionStatus(
        DatasetVersion version,
        @Nullable ManifestRef manifest,
        Duration ttl,
        List<Residency> regions,
        List<PinGrant> pins) {}
