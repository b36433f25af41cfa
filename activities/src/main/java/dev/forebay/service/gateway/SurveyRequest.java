package dev.forebay.service.gateway;

import com.fasterxml.jackson.annotation.JsonIgnoreProperties;
import dev.forebay.model.ManifestRef;
import org.jspecify.annotations.Nullable;

/**
 * The control plane's request for a survey before it plans.
 *
 * @param version {@code namespace/name@version}; empty to survey the region only
 * @param manifest empty if the version has none yet
 * @param spaceOnly whether to leave out what is missing, so that no worker is asked
 */
@JsonIgnoreProperties(ignoreUnknown = true)
public record SurveyRequest(
        @Nullable String version, @Nullable ManifestRef manifest, boolean spaceOnly) {}
