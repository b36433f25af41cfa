package dev.forebay.fuse.read;

import dev.forebay.model.Digest;
import dev.forebay.model.PackId;
import java.nio.ByteBuffer;

/**
 * Where verified bytes of packs come from: {@link dev.forebay.transfer.RegionReader#read}, or a
 * test's array.
 */
@FunctionalInterface
public interface PackSource {

    /** Fills {@code target} from its position on with bytes {@code [from, to)} of a pack. */
    void read(Digest manifest, PackId pack, long from, long to, ByteBuffer target);
}
