package dev.forebay.fuse.kernel.protocol;

/** The owner of all files. */
public record Owner(int user, int group) {}
