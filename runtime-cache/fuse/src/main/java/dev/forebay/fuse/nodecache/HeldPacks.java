package dev.forebay.fuse.nodecache;

import dev.forebay.linux.SystemCallException;
import dev.forebay.model.Digest;
import dev.forebay.model.PackId;
import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.stream.Collectors;

/**
 * Packs of which nothing that a version has is given up until this is closed. Safe for use by many
 * threads.
 */
public final class HeldPacks implements AutoCloseable {

    private final Digest manifest;
    private final List<PackFile> packs;
    private final AtomicBoolean closed = new AtomicBoolean();

    /** Holds them for a version. */
    HeldPacks(Digest manifest, List<PackFile> packs) {
        this.manifest = manifest;
        this.packs = packs;
        packs.forEach(pack -> pack.holds().hold(manifest));
    }

    /**
     * The packs' files: each with its pack's bytes at their offsets, and zeros to the end of the
     * last block of 4 KiB. They are read without being compared with checksums; nothing that the
     * version has in them is changed but to mend what was wrong, also after this is closed, as long
     * as somebody has them open.
     *
     * @throws SystemCallException if nobody could tell on this file system who has them open
     */
    public Map<PackId, Path> files() throws SystemCallException {
        for (PackFile pack : packs) {
            pack.lend();
        }
        return packs.stream().collect(Collectors.toMap(PackFile::id, PackFile::path));
    }

    List<PackFile> packs() {
        return packs;
    }

    /** Brings all that is here of them to the device. */
    void sync() throws IOException {
        for (PackFile pack : packs) {
            boolean _ = pack.settle();
        }
    }

    @Override
    public void close() {
        if (closed.compareAndSet(false, true)) {
            packs.forEach(pack -> pack.holds().release(manifest));
        }
    }
}
