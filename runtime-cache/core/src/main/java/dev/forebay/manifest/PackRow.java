package dev.forebay.manifest;

import dev.forebay.model.PackId;

/** A pack with its ordinal in a manifest and its size in bytes: a row of the {@code pack} table. */
public record PackRow(int ordinal, PackId id, long bytes) {}
