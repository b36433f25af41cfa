package dev.forebay.service.gateway;

import com.fasterxml.jackson.annotation.JsonIgnoreProperties;
import dev.forebay.model.ManifestRef;

/**
 * What the control plane has an agent compare.
 *
 * @param manifest of a version that is mounted
 * @param from the ordinal of the first chunk
 * @param seconds for about how long: the agent answers when they are over
 */
@JsonIgnoreProperties(ignoreUnknown = true)
public record VerifyRequest(ManifestRef manifest, long from, long seconds) {}
