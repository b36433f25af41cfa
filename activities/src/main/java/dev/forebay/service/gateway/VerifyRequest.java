package dev.forebay.service.gateway;

import com.fasterxml.jackson.annotation.JsonIgnoreProperties;
import dev.forebay.model.ManifestRef;

/**
 * The control plane's request to verify stored chunks.
 *
 * @param manifest of a mounted version
 * @param from the ordinal of the first chunk
 * @param seconds roughly the time limit: the agent answers when it has passed
 */
@JsonIgnoreProperties(ignoreUnknown = true)
public record VerifyRequest(ManifestRef manifest, long from, long seconds) {}
