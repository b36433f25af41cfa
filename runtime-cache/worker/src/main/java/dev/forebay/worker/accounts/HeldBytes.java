package dev.forebay.worker.accounts;

import dev.forebay.chunkstore.ChunkStore;
import dev.forebay.membership.Mount;
import dev.forebay.model.ForebayException;
import dev.forebay.model.PackId;
import dev.forebay.worker.retention.MountedVersions;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Measures the bytes on disk for each mounted version. Versions that share a pack share its bytes,
 * so the sum equals the bytes on disk. A version that is being evicted gets no share of a pack that
 * another version needs. Blocks if a manifest is not on this disk. Not thread-safe.
 */
final class HeldBytes {

    private static final Logger LOG = LoggerFactory.getLogger(HeldBytes.class);

    private final ChunkStore store;
    private final MountedVersions versions;

    HeldBytes(ChunkStore store, MountedVersions versions) {
        this.store = store;
        this.versions = versions;
    }

    Map<Mount, Long> now() {
        Map<PackId, List<Mount>> users = new HashMap<>();
        for (Mount mount : versions.view().mounts()) {
            try {
                for (PackId pack : versions.packs(mount.manifest())) {
                    users.computeIfAbsent(pack, _ -> new ArrayList<>()).add(mount);
                }
            } catch (ForebayException e) {
                LOG.debug("Cannot calculate the space of {} now", mount.version(), e);
            }
        }
        Map<Mount, Long> held = new HashMap<>();
        for (PackId pack : store.packs()) {
            divide(store.footprint(pack), users.getOrDefault(pack, List.of()), held);
        }
        return held;
    }

    static void divide(long bytes, List<Mount> users, Map<Mount, Long> held) {
        List<Mount> staying =
                users.stream().filter(mount -> mount.state() != Mount.State.EVICTING).toList();
        List<Mount> among = staying.isEmpty() ? users : staying;
        for (int i = 0; i < among.size(); i++) {
            long part = bytes / among.size() + (i < bytes % among.size() ? 1 : 0);
            held.merge(among.get(i), part, (had, more) -> had + more);
        }
    }
}
