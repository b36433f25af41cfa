package dev.forebay.chunkstore;

import dev.forebay.model.ChunkId;
import dev.forebay.model.PackId;
import java.nio.file.Path;
import java.util.List;
import java.util.function.BooleanSupplier;

/** A disk that failed, and the chunks that were on it. Safe for use by many threads. */
public final class LostDisk {

    private final DiskStore disk;
    private final BooleanSupplier isBack;

    LostDisk(DiskStore disk, BooleanSupplier isBack) {
        this.disk = disk;
        this.isBack = isBack;
    }

    /** Whether its directory is used again. */
    public boolean isBack() {
        return isBack.getAsBoolean();
    }

    public Path directory() {
        return disk.directory();
    }

    /** The packs of which chunks were on it. */
    public List<PackId> packs() {
        return disk.packs();
    }

    /** The chunks of a pack that were on it. */
    public List<ChunkId> chunks(PackId pack) {
        return disk.chunks(pack);
    }
}
