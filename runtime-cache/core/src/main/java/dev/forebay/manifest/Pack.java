package dev.forebay.manifest;

import dev.forebay.model.PackId;

/**
 * A pack that a version refers to.
 *
 * @param bytes the size of the pack, a multiple of 4 KiB
 */
public record Pack(PackId id, long bytes) {}
