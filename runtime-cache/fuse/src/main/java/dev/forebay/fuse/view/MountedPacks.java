package dev.forebay.fuse.view;

import dev.forebay.fuse.fs.Manifests;
import dev.forebay.manifest.Pack;
import dev.forebay.manifest.cache.CachedManifest;
import dev.forebay.membership.Mount;
import dev.forebay.model.Digest;
import dev.forebay.model.ForebayException;
import dev.forebay.model.ManifestRef;
import java.util.HashMap;
import java.util.Iterator;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.stream.Collectors;

/**
 * The packs of mounted versions. Their manifests are read on the first request. It may come early:
 * the kernel can ask a new server for packs that only its predecessor has shown. Thread-safe.
 */
public final class MountedPacks {

    /**
     * A pack of a version.
     *
     * @param mount one of the versions that have this manifest
     */
    record Found(Pack pack, Mount mount) {

        Digest manifest() {
            return mount.manifest().digest();
        }
    }

    private final Manifests manifests;

    // Changed under this object's lock.
    private volatile Map<Digest, Mount> mounted = Map.of();
    private volatile Map<Digest, List<Pack>> known = Map.of();
    private volatile Map<Long, Found> byNumber = Map.of();

    public MountedPacks(Manifests manifests) {
        this.manifests = manifests;
    }

    /** Sets the mount table. */
    public synchronized void update(List<Mount> mounts) {
        mounted =
                mounts.stream()
                        .filter(mount -> mount.state() != Mount.State.EVICTING)
                        .collect(
                                Collectors.toMap(
                                        mount -> mount.manifest().digest(),
                                        mount -> mount,
                                        (a, _) -> a));
        Map<Digest, List<Pack>> stay = new HashMap<>(known);
        stay.keySet().retainAll(mounted.keySet());
        index(stay);
    }

    private void index(Map<Digest, List<Pack>> packs) {
        Map<Long, Found> numbers = new HashMap<>();
        mounted.forEach(
                (manifest, mount) ->
                        packs.getOrDefault(manifest, List.of())
                                .forEach(
                                        pack ->
                                                numbers.put(
                                                        PackFolder.inode(manifest, pack.id()),
                                                        new Found(pack, mount))));
        byNumber = numbers;
        known = packs;
    }

    /** Returns the packs of a version, in the order of its image's devices. */
    List<Pack> of(ManifestRef manifest) {
        List<Pack> there = known.get(manifest.digest());
        if (there != null) {
            return there;
        }
        List<Pack> packs;
        try (CachedManifest opened = manifests.open(manifest)) {
            packs = List.copyOf(opened.packs());
        }
        synchronized (this) {
            if (mounted.containsKey(manifest.digest())) {
                Map<Digest, List<Pack>> more = new HashMap<>(known);
                more.put(manifest.digest(), packs);
                index(more);
            }
        }
        return packs;
    }

    /** Returns whether {@link #of} needs no manifest. */
    boolean isKnown(ManifestRef manifest) {
        return known.containsKey(manifest.digest());
    }

    /** Returns whether {@link #numbered} needs no manifest. */
    boolean isKnown(long inode) {
        return byNumber.containsKey(inode) || mounted.keySet().equals(known.keySet());
    }

    /** Returns the pack with this inode number if its version's manifest has been read. */
    Optional<Found> known(long inode) {
        return Optional.ofNullable(byNumber.get(inode));
    }

    /**
     * Returns the pack with this inode number. Reads the manifests of all versions if necessary.
     *
     * @throws ForebayException if the pack is not found and a manifest cannot be read
     */
    Optional<Found> numbered(long inode) {
        Found found = byNumber.get(inode);
        ForebayException unread = null;
        Iterator<Mount> rest = mounted.values().iterator();
        while (found == null && rest.hasNext()) {
            try {
                of(rest.next().manifest());
                found = byNumber.get(inode);
            } catch (ForebayException e) {
                unread = e;
            }
        }
        if (found == null && unread != null) {
            throw unread;
        }
        return Optional.ofNullable(found);
    }
}
