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

/** Protects all pages of a version in its packs from removal until it is closed. Thread-safe. */
public final class HeldPacks implements AutoCloseable {

    private final Digest manifest;
    private final List<PackFile> packs;
    private final AtomicBoolean closed = new AtomicBoolean();

    /** Protects the packs for a version. */
    HeldPacks(Digest manifest, List<PackFile> packs) {
        this.manifest = manifest;
        this.packs = packs;
        packs.forEach(pack -> pack.holds().hold(manifest));
    }

    /**
     * Returns the files of the packs. Each has its pack's bytes at their offsets, and zeros to the
     * end of the last block of 4 KiB. Reads of them are not verified. The version's pages in them
     * change only to repair damage, also after this object is closed, while any process has them
     * open.
     *
     * @throws SystemCallException if this file system cannot tell whether a file is open elsewhere
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

    /** Syncs all cached bytes of the packs to the device. */
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
