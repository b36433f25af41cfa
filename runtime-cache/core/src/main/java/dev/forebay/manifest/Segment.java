package dev.forebay.manifest;

import org.jspecify.annotations.Nullable;

/**
 * One lake object's place in a pack, with the identity a fill must insist on.
 *
 * @param packOffset first byte in the pack, a multiple of 4 KiB
 * @param size the object's size in bytes, at least 1: empty objects occupy no pack bytes and have
 *     no segment
 */
public record Segment(
        long packOffset, long size, String key, String etag, @Nullable String versionId) {}
