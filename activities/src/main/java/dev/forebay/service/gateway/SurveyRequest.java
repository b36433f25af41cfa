package dev.forebay.service.gateway;

import com.fasterxml.jackson.annotation.JsonIgnoreProperties;
import dev.forebay.model.ManifestRef;
import org.jspecify.annotations.Nullable;

/**
 * What the control plane asks an agent before it plans.
 *
 * @param version {@code namespace/name@version}; empty to look at the region only
 * @param manifest empty if the version has none yet
 * @param roomOnly do not look what of it is missing: no worker is asked
 */
@JsonIgnoreProperties(ignoreUnknown = true)
public record SurveyRequest(
        @Nullable String version, @Nullable ManifestRef manifest, boolean roomOnly) {}
