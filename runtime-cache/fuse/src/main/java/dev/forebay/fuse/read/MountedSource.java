package dev.forebay.fuse.read;

import dev.forebay.membership.Mount;
import dev.forebay.model.Digest;
import dev.forebay.model.ErrorCode;
import dev.forebay.model.ForebayException;
import dev.forebay.model.PackId;
import java.nio.ByteBuffer;
import java.util.List;
import java.util.Set;
import java.util.stream.Collectors;

/**
 * Reads bytes of mounted versions only.
 *
 * <p>A program can keep reading an open file after its version was evicted. Workers no longer fill
 * that version and soon do not know it, so a request to them would fail too, but late. Thread-safe.
 */
public final class MountedSource implements PackSource {

    private final PackSource source;
    private volatile Set<Digest> mounted = Set.of();

    /** Creates a source that refuses every version until {@link #update} is called. */
    public MountedSource(PackSource source) {
        this.source = source;
    }

    /** Sets the mount table. Must be called before the versions are shown. */
    public void update(List<Mount> mounts) {
        mounted =
                mounts.stream()
                        .filter(mount -> mount.state() != Mount.State.EVICTING)
                        .map(mount -> mount.manifest().digest())
                        .collect(Collectors.toUnmodifiableSet());
    }

    /**
     * @throws ForebayException {@code EVICTING} if no version with this manifest is mounted, or
     *     none is mounted any more
     */
    @Override
    public void read(Digest manifest, PackId pack, long from, long to, ByteBuffer target) {
        if (!mounted.contains(manifest)) {
            throw new ForebayException(
                    ErrorCode.EVICTING,
                    ("the version with manifest %s was evicted from this region while the file was"
                                    + " open")
                            .formatted(manifest));
        }
        source.read(manifest, pack, from, to, target);
    }
}
