package dev.forebay.manifest;

import dev.forebay.lake.LakeObject;
import dev.forebay.model.ChunkId;
import dev.forebay.model.Digest;
import dev.forebay.model.PackId;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.util.ArrayList;
import java.util.List;

/**
 * Places objects into new packs, one after the other, each at a multiple of 4 KiB.
 *
 * <p>Keeps in memory only the current pack and the rows of the finished ones. Not thread-safe.
 */
public final class PackLayout {

    private final String bucket;
    private final long limitBytes;
    private final List<PackRow> finished = new ArrayList<>();
    private int ordinal;
    private long end;
    private MessageDigest layout;

    /**
     * @param firstOrdinal the ordinal of the first new pack
     * @param limitBytes the maximum size of a pack; a larger object gets a pack of its own
     */
    public PackLayout(String bucket, int firstOrdinal, long limitBytes) {
        this.bucket = bucket;
        this.ordinal = firstOrdinal;
        this.limitBytes = limitBytes;
        this.layout = begin();
    }

    /** Returns the next place, for an object of at least one byte. */
    public PackPosition place(LakeObject object) {
        long extent = align(object.size());
        if (end > 0 && end + extent > limitBytes) {
            finishPack();
        }
        PackPosition place = new PackPosition(ordinal, end);
        field(Long.toString(end));
        field(Long.toString(object.size()));
        field(object.etag());
        field(object.versionId() == null ? "" : object.versionId());
        field(object.key());
        end += extent;
        return place;
    }

    /** Finishes the last pack and returns all new packs. */
    public List<PackRow> finish() {
        if (end > 0) {
            finishPack();
        }
        return finished;
    }

    private void finishPack() {
        finished.add(new PackRow(ordinal, new PackId(Digests.of(layout)), end));
        ordinal++;
        end = 0;
        layout = begin();
    }

    private MessageDigest begin() {
        layout = Digests.sha256();
        field(bucket);
        return layout;
    }

    /**
     * A NUL ends each field. No key, ETag or version id can contain it, so different layouts have
     * different input.
     */
    private void field(String text) {
        layout.update(text.getBytes(StandardCharsets.UTF_8));
        layout.update((byte) 0);
    }

    private static long align(long size) {
        return Math.addExact(size, ChunkId.ALIGNMENT_BYTES - 1) & -ChunkId.ALIGNMENT_BYTES;
    }

    /** Returns the id of the pack of empty objects, which is that of a layout without objects. */
    public static PackId nowhere() {
        return new PackId(new Digest(Digests.hex(Digests.sha256().digest())));
    }
}
