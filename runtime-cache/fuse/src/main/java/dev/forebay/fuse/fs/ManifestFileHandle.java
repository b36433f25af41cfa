package dev.forebay.fuse.fs;

import dev.forebay.manifest.Node;
import dev.forebay.model.DatasetVersion;
import dev.forebay.model.Digest;
import java.nio.ByteBuffer;

/** An open file of a version. Needs neither the mount table nor the manifest once it is open. */
record ManifestFileHandle(
        FileBytes bytes,
        DatasetVersion version,
        Digest manifest,
        long packBytes,
        Node.File file,
        Attributes attributes)
        implements OpenFile {

    @Override
    public int read(long offset, ByteBuffer target) {
        int length = Math.clamp(file.size() - offset, 0, target.remaining());
        if (length > 0) {
            ByteBuffer wanted = target.slice(target.position(), length);
            ReadErrorContext.named(
                    version,
                    file.pack(),
                    file.packOffset() + offset,
                    () -> bytes.read(manifest, packBytes, file, offset, wanted));
            target.position(target.position() + length);
        }
        return length;
    }

    @Override
    public boolean isHere(long offset, int length) {
        int present = Math.clamp(file.size() - offset, 0, length);
        return present == 0 || bytes.areHere(manifest, file, offset, present);
    }
}
