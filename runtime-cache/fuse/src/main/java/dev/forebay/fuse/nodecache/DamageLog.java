package dev.forebay.fuse.nodecache;

import dev.forebay.fuse.fs.RateLimit;
import dev.forebay.model.DatasetVersion;
import dev.forebay.model.PackId;
import java.util.BitSet;
import java.util.List;
import java.util.concurrent.atomic.LongAdder;
import java.util.function.Function;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Logs damage on the disk with the affected versions, at a limited rate, because a failing disk
 * damages one block at a time. Thread-safe.
 */
final class DamageLog {

    private static final Logger LOG = LoggerFactory.getLogger(DamageLog.class);

    private final Function<PackId, List<DatasetVersion>> versions;
    private final RateLimit logged = new RateLimit(20, 60);
    private final LongAdder unlogged = new LongAdder();

    /**
     * @param versions returns the mounted versions that have a pack
     */
    DamageLog(Function<PackId, List<DatasetVersion>> versions) {
        this.versions = versions;
    }

    /**
     * Logs that blocks of a chunk, counted from its first, were damaged and dropped. Must not be
     * called under the chunk's lock, because it may read manifests.
     */
    void found(PackId pack, int chunk, BitSet blocks) {
        if (blocks.isEmpty()) {
            return;
        }
        if (!logged.permits()) {
            unlogged.add(blocks.cardinality());
            return;
        }
        long start = PackUnits.offset(chunk, 0);
        LOG.warn(
                "Pack {} of {} has {} damaged blocks of 64 KiB on this node's disk, within bytes "
                        + "{} to {}; readers get them from a worker ({} more blocks were found since the "
                        + "last message)",
                pack,
                names(pack),
                blocks.cardinality(),
                start + (long) blocks.nextSetBit(0) * PackUnits.BLOCK,
                start + (long) blocks.length() * PackUnits.BLOCK,
                unlogged.sumThenReset());
    }

    private String names(PackId pack) {
        try {
            List<DatasetVersion> names = versions.apply(pack);
            return names.isEmpty() ? "no mounted version" : names.toString();
        } catch (RuntimeException e) {
            // A read must not fail because of a log message.
            return "unknown versions";
        }
    }
}
