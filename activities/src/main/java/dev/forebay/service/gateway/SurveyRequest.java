package dev.forebay.service.gateway;

import com.fasterxml.jackson.annotation.JsonIgnoreProperties;
import dev.forebay.model.ManifestRef;
import org.jspecify.annotations.Nullable;

/**
 * What the control plane asks an agent before it plans.
 *
 * @param version {@code namespace/name@version}
 * @param manifest empty if the version has none yet
 */
@JsonIgnoreProperties(ignoreUnknown = true)
public record SurveyRequest(String version, @Nullable ManifestRef manifest) {}
