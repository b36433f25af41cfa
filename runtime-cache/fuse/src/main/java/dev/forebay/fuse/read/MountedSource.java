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
 * Asks for bytes of mounted versions only.
 *
 * <p>Who has a file open keeps on reading when its version is evicted. No worker fills it any more
 * and soon none knows it, so asking them would end the same way, but late. Safe for use by many
 * threads.
 */
public final class MountedSource implements PackSource {

    private final PackSource source;
    private volatile Set<Digest> mounted = Set.of();

    /** Knows no version until {@link #update} was called. */
    public MountedSource(PackSource source) {
        this.source = source;
    }

    /** Takes over the mount table; call it before the versions are shown. */
    public void update(List<Mount> mounts) {
        mounted =
                mounts.stream()
                        .filter(mount -> mount.state() != Mount.State.EVICTING)
                        .map(mount -> mount.manifest().digest())
                        .collect(Collectors.toUnmodifiableSet());
    }

    /**
     * @throws ForebayException {@code EVICTING} if no version with this manifest is mounted (any
     *     more)
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
