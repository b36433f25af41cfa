package dev.forebay.manifest;

import dev.forebay.model.PackId;

/** A row of the {@code pack} table. */
public record LaidPack(int ordinal, PackId id, long bytes) {}
