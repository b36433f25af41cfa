package dev.forebay.manifest;

/**
 * The place of an object's first byte: the ordinal of a pack in this manifest, and an offset in it.
 */
public record PackPosition(int pack, long offset) {}
