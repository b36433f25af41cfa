package dev.forebay.manifest;

import dev.forebay.lake.LakeObject;

/**
 * The place of a lake object in a pack, with the object's identity, which a fill must check.
 *
 * @param packOffset first byte in the pack, a multiple of 4 KiB
 * @param object has at least one byte: empty objects take no space in packs and have no segment
 */
public record Segment(long packOffset, LakeObject object) {

    /** Returns the object's size in bytes. */
    public long size() {
        return object.size();
    }

    public String key() {
        return object.key();
    }
}
