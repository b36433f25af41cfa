package dev.forebay.manifest;

/** Where an object's bytes begin: the ordinal of a pack in this manifest, and an offset in it. */
record Place(int pack, long offset) {}
