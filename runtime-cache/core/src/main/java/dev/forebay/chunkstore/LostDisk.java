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

    /** Returns whether the directory is in use again. */
    public boolean isBack() {
        return isBack.getAsBoolean();
    }

    public Path directory() {
        return disk.directory();
    }

    /** Returns the packs that had chunks on the disk. */
    public List<PackId> packs() {
        return disk.packs();
    }

    /** Returns the chunks of a pack that were on the disk. */
    public List<ChunkId> chunks(PackId pack) {
        return disk.chunks(pack);
    }
}
