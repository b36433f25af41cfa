package dev.forebay.fuse.read;

import dev.forebay.model.Digest;
import dev.forebay.model.PackId;
import java.nio.ByteBuffer;

/**
 * A source of verified bytes of packs: {@link dev.forebay.transfer.RegionReader#read}, or an array
 * in tests.
 */
@FunctionalInterface
public interface PackSource {

    /** Fills {@code target} from its position with bytes {@code [from, to)} of a pack. */
    void read(Digest manifest, PackId pack, long from, long to, ByteBuffer target);
}
