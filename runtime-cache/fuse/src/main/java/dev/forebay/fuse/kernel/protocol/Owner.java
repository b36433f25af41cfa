package dev.forebay.fuse.kernel.protocol;

/** Whose all files are. */
public record Owner(int user, int group) {}
