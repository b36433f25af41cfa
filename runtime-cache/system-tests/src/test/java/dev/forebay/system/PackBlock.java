package dev.forebay.system;

import dev.forebay.manifest.Manifest;
import dev.forebay.manifest.Pack;
import dev.forebay.manifest.Segment;
import dev.forebay.manifest.sqlite.SqliteManifest;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;

/** A block of a pack on a node that contains bytes of one file only. */
final class PackBlock {

    /** The size of a block with its own checksum. */
    private static final int BYTES = 64 << 10;

    /** Odd, so that the block changes even if flips hit the same bit. */
    private static final int FLIPPED_BITS = 3;

    private record Place(Path pack, long offset) {}

    private final Place place;
    private final ByteBuffer right;

    private PackBlock(Place place) throws IOException {
        this.place = place;
        this.right = read();
    }

    /**
     * Returns a random block of a version.
     *
     * @param packs the directory where the node keeps packs
     */
    static PackBlock some(ModelRegion region, ModelVersion version, Path packs, Random random)
            throws IOException {
        List<Place> places = new ArrayList<>();
        try (Manifest manifest =
                SqliteManifest.open(ModelRegion.manifest(region.directory, version))) {
            for (Pack pack : manifest.packs()) {
                Path file = packs.resolve(pack.id() + ".pack");
                for (Segment segment : manifest.segments(pack.id(), 0, pack.bytes())) {
                    long end = segment.packOffset() + segment.size();
                    long first = Math.ceilDiv(segment.packOffset(), BYTES) * (long) BYTES;
                    for (long at = first; at + BYTES <= end; at += BYTES) {
                        places.add(new Place(file, at));
                    }
                }
            }
        }
        return new PackBlock(places.get(random.nextInt(places.size())));
    }

    /** Flips some bits on the disk. */
    void rot(Random random) throws IOException {
        FlippedBits.in(place.pack(), place.offset(), place.offset() + BYTES, FLIPPED_BITS, random);
    }

    /** Returns whether the block has its original bytes. */
    boolean isMended() throws IOException {
        return read().equals(right);
    }

    private ByteBuffer read() throws IOException {
        ByteBuffer bytes = ByteBuffer.allocate(BYTES);
        try (FileChannel file = FileChannel.open(place.pack())) {
            while (bytes.hasRemaining()
                    && file.read(bytes, place.offset() + bytes.position()) > 0) {
                // Continues until the block is full.
            }
        }
        return bytes.flip();
    }
}
