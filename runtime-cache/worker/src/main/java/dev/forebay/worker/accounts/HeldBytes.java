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
 * How much of the disks is there for each mounted version. What several share is divided among
 * them, so that the sum is what is on the disks; a version on its way out has no part in what
 * another needs too. Blocks if a manifest is not here. For one thread.
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
                LOG.debug("What is here of {} is not known now", mount.version(), e);
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
