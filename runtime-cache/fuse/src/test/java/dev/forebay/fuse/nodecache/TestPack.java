package dev.forebay.fuse.nodecache;

import static org.assertj.core.api.Assertions.assertThat;

import dev.forebay.chunkstore.NeighbourStore;
import dev.forebay.fuse.read.LocalChunks;
import dev.forebay.fuse.read.PackSource;
import dev.forebay.model.ChunkId;
import dev.forebay.model.DatasetVersion;
import dev.forebay.model.Digest;
import dev.forebay.model.ErrorCode;
import dev.forebay.model.ForebayException;
import dev.forebay.model.PackId;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.BitSet;
import java.util.Collections;
import java.util.List;
import java.util.Random;
import java.util.Set;

/**
 * A pack that two versions share. The version {@link #ALL} has every page, and {@link #SOME} has
 * some runs. A read for a version returns poison for pages that are not live.
 */
final class TestPack implements PackSource, LivePages {

    static final PackId ID = PackId.parse("ab".repeat(32));
    static final DatasetVersion VERSION = DatasetVersion.of("vision", "digits", "v1");
    static final Digest ALL = new Digest("c".repeat(64));
    static final Digest SOME = new Digest("d".repeat(64));

    private static final byte POISON = (byte) 0xee;

    record Range(long from, long to) {}

    final byte[] bytes;
    final List<Range> asked = Collections.synchronizedList(new ArrayList<>());
    volatile boolean down;
    volatile Set<Digest> lost = Set.of();
    volatile Range changed = new Range(-1, -1);
    private final BitSet some = new BitSet();

    /** Creates a pack of this number of pages; equal seeds give equal packs. */
    TestPack(int pages, long seed) {
        bytes = new byte[pages * PackUnits.PAGE];
        Random random = new Random(seed);
        random.nextBytes(bytes);
        for (int page = 0; page < pages; ) {
            int run = 1 + random.nextInt(random.nextBoolean() ? 4 : 100);
            some.set(page, Math.min(pages, page + run), random.nextBoolean());
            page += run;
        }
    }

    /** Returns the pack as the source of a node without a worker. */
    LocalChunks source() {
        return remote(this);
    }

    /** Returns a source that is not on this node. */
    static LocalChunks remote(PackSource source) {
        return new LocalChunks(new NeighbourStore(List.of()), source);
    }

    /** Returns whether the version has bytes at this offset. */
    boolean isLive(Digest manifest, long offset) {
        return manifest.equals(ALL) || some.get((int) (offset / PackUnits.PAGE));
    }

    @Override
    public long packBytes(Digest manifest, PackId pack) {
        return bytes.length;
    }

    @Override
    public List<DatasetVersion> names(PackId pack) {
        return List.of(VERSION);
    }

    @Override
    public BitSet of(Digest manifest, ChunkId chunk) {
        int first = chunk.index() * PackUnits.PAGES_OF_CHUNK;
        int end = first + PackUnits.pages(bytes.length, chunk.index());
        BitSet live = new BitSet();
        live.set(0, end - first);
        if (manifest.equals(SOME)) {
            live.and(some.get(first, end));
        }
        return live;
    }

    @Override
    public void read(Digest manifest, PackId pack, long from, long to, ByteBuffer target) {
        asked.add(new Range(from, to));
        if (down || lost.contains(manifest)) {
            throw new ForebayException(ErrorCode.UNAVAILABLE, "down");
        }
        if (from < changed.to && to > changed.from) {
            throw new ForebayException(ErrorCode.LAKE_OBJECT_CHANGED, "changed");
        }
        target.put(known(manifest, (int) from, (int) to));
    }

    /** Returns the pack's bytes, with poison where the version has none. */
    private byte[] known(Digest manifest, int from, int to) {
        byte[] known = Arrays.copyOfRange(bytes, from, to);
        for (int at = from; at < to; at = (at / PackUnits.PAGE + 1) * PackUnits.PAGE) {
            if (!isLive(manifest, at)) {
                int end = Math.min(to, (at / PackUnits.PAGE + 1) * PackUnits.PAGE);
                Arrays.fill(known, at - from, end - from, POISON);
            }
        }
        return known;
    }

    /** Reads a range through a cache and compares all live bytes. */
    void assertReads(PackCache cache, Digest manifest, long from, int length, boolean direct) {
        ByteBuffer target =
                direct ? ByteBuffer.allocateDirect(length) : ByteBuffer.allocate(length);
        cache.read(manifest, ID, from, from + length, target);
        assertThat(target.hasRemaining()).isFalse();
        byte[] read = new byte[length];
        target.get(0, read);
        byte[] right = known(manifest, (int) from, (int) from + length);
        for (int i = Arrays.mismatch(read, right); i >= 0 && i < length; i++) {
            if (read[i] != right[i] && isLive(manifest, from + i)) {
                throw new AssertionError("wrong byte at " + (from + i) + " of " + manifest);
            }
        }
    }

    /** Reads the whole pack. */
    void assertReadsAll(PackCache cache, Digest manifest) {
        for (int at = 0; at < bytes.length; at += PackUnits.PIECE) {
            assertReads(cache, manifest, at, Math.min(PackUnits.PIECE, bytes.length - at), true);
        }
    }

    /** Returns the number of bytes requested since the last call. */
    long takeAskedBytes() {
        synchronized (asked) {
            long sum = asked.stream().mapToLong(range -> range.to - range.from).sum();
            asked.clear();
            return sum;
        }
    }
}
