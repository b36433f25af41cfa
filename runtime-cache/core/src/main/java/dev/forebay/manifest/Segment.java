package dev.forebay.manifest;

import dev.forebay.lake.LakeObject;

/**
 * One lake object's place in a pack, with the identity a fill must insist on.
 *
 * @param packOffset first byte in the pack, a multiple of 4 KiB
 * @param object with at least a byte: empty objects occupy no pack bytes and have no segment
 */
public record Segment(long packOffset, LakeObject object) {

    /** The object's size in bytes. */
    public long size() {
        return object.size();
    }

    public String key() {
        return object.key();
    }
}
