package dev.forebay.worker.retention;

import com.github.benmanes.caffeine.cache.Cache;
import com.github.benmanes.caffeine.cache.Caffeine;
import dev.forebay.manifest.CachedManifest;
import dev.forebay.manifest.ManifestCache;
import dev.forebay.manifest.Pack;
import dev.forebay.membership.Mount;
import dev.forebay.membership.RegionView;
import dev.forebay.model.DatasetVersion;
import dev.forebay.model.Digest;
import dev.forebay.model.ErrorCode;
import dev.forebay.model.ForebayException;
import dev.forebay.model.ManifestRef;
import dev.forebay.model.PackId;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Supplier;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * The manifests of the versions that the region's mount table lists, by digest.
 *
 * <p>The last known table stays in use while etcd is away. A bounded number of manifests is kept
 * open between requests, because opening one costs more than asking it. Safe for use by many
 * threads.
 */
public final class MountedVersions implements AutoCloseable {

    private final ManifestCache manifests;
    private final Runnable catchUp;
    private final Cache<Digest, CachedManifest> keptOpen;
    private final Map<Digest, NeededChunks> needed = new ConcurrentHashMap<>();
    private final Object tableChange = new Object();
    private volatile @Nullable Table table;

    private record Table(RegionView view, Map<Digest, Entry> entries) {}

    /**
     * What the table says of one manifest.
     *
     * @param evicting whether every version with this manifest is being evicted
     */
    private record Entry(ManifestRef ref, boolean evicting) {}

    /** A manifest in use; close it when done. */
    public record Use(Digest digest, CachedManifest manifest) implements AutoCloseable {

        /**
         * The length of a pack in bytes.
         *
         * @throws ForebayException {@code NOT_FOUND} if the version does not refer to it
         */
        public long packBytes(PackId pack) {
            return manifest.packs().stream()
                    .filter(each -> each.id().equals(pack))
                    .mapToLong(Pack::bytes)
                    .findFirst()
                    .orElseThrow(
                            () ->
                                    new ForebayException(
                                            ErrorCode.NOT_FOUND,
                                            "manifest %s does not refer to pack %s"
                                                    .formatted(digest, pack)));
        }

        @Override
        public void close() {
            manifest.close();
        }
    }

    /**
     * Knows no version until {@link #update} was called.
     *
     * @param open how many manifests are kept open between requests
     * @param catchUp returns when {@link #update} was called with all that the region's etcd knew
     *     when it was run, or throws
     */
    public MountedVersions(ManifestCache manifests, int open, Runnable catchUp) {
        this.manifests = manifests;
        this.catchUp = catchUp;
        this.keptOpen =
                Caffeine.newBuilder()
                        .maximumSize(open)
                        .executor(Runnable::run)
                        .<Digest, CachedManifest>evictionListener(
                                (digest, manifest, cause) -> close(manifest))
                        .build();
    }

    /** Takes over what the region's etcd says now. */
    public void update(RegionView view) {
        Map<Digest, Entry> next =
                view.mounts().stream()
                        .collect(
                                Collectors.toUnmodifiableMap(
                                        mount -> mount.manifest().digest(),
                                        mount -> new Entry(mount.manifest(), evicting(mount)),
                                        (one, other) ->
                                                new Entry(
                                                        one.ref(),
                                                        one.evicting() && other.evicting())));
        synchronized (tableChange) {
            table = new Table(view, next);
        }
        needed.keySet().retainAll(next.keySet());
        for (Digest digest : keptOpen.asMap().keySet()) {
            if (!next.containsKey(digest)) {
                close(keptOpen.asMap().remove(digest));
            }
        }
    }

    /**
     * Opens the manifest of a mounted version, fetching it if it is not on this disk. Blocks.
     *
     * @throws ForebayException {@code NOT_FOUND} if no mounted version has it, which etcd was asked
     *     for, or as asking and fetching fail
     */
    public Use use(Digest digest) {
        Entry entry =
                caughtUp(() -> Optional.ofNullable(table().entries.get(digest)))
                        .orElseThrow(
                                () ->
                                        new ForebayException(
                                                ErrorCode.NOT_FOUND,
                                                "no version with manifest %s is mounted in this region"
                                                        .formatted(digest)));
        CachedManifest manifest = manifests.open(entry.ref());
        if (keptOpen.getIfPresent(digest) == null) {
            keepOpen(entry.ref());
        }
        return new Use(digest, manifest);
    }

    /**
     * Opens the manifest of a version as {@link #use(Digest)} does.
     *
     * @throws ForebayException {@code NOT_FOUND} if the version is not mounted with it
     */
    public Use use(DatasetVersion version, Digest digest) {
        if (caughtUp(() -> mount(version, digest)).isEmpty()) {
            throw new ForebayException(
                    ErrorCode.NOT_FOUND,
                    "%s with manifest %s is not mounted in this region".formatted(version, digest));
        }
        return use(digest);
    }

    private Optional<Mount> mount(DatasetVersion version, Digest digest) {
        return view().mounts().stream()
                .filter(
                        mount ->
                                mount.version().equals(version)
                                        && mount.manifest().digest().equals(digest))
                .findFirst();
    }

    /** Who asks may know more of the region than this worker does yet. */
    private <T> Optional<T> caughtUp(Supplier<Optional<T>> look) {
        Optional<T> found = look.get();
        if (found.isPresent()) {
            return found;
        }
        catchUp();
        return look.get();
    }

    /**
     * Returns when {@link #view} has all that the region's etcd knew when this was called.
     *
     * @throws ForebayException {@code UNAVAILABLE} if etcd does not say so in time
     */
    void catchUp() {
        catchUp.run();
    }

    /** Whether {@link #use} would answer at once. */
    public boolean atHand(Digest digest) {
        return keptOpen.getIfPresent(digest) != null;
    }

    /** Whether a version with this manifest is mounted and not on its way out, at this moment. */
    public boolean fillable(Digest digest) {
        Entry entry = table().entries.get(digest);
        return entry != null && !entry.evicting();
    }

    /**
     * What the table was made from.
     *
     * @throws ForebayException {@code UNAVAILABLE} if nothing was seen yet
     */
    public RegionView view() {
        return table().view;
    }

    /** Whether the region's state was seen at least once. */
    public boolean ready() {
        return table != null;
    }

    /** The packs that a mounted version refers to. Blocks if its manifest is not here. */
    public Set<PackId> packs(ManifestRef ref) {
        return needed(ref).packs();
    }

    /** Whether {@link #packs} would answer without blocking. */
    boolean knowsPacks(Digest digest) {
        return needed.containsKey(digest);
    }

    /** What one of these or another needs of some packs. Blocks if a manifest is not here. */
    NeededChunks needed(List<ManifestRef> refs, Set<PackId> packs) {
        return NeededChunks.union(refs.stream().map(this::needed).toList(), packs);
    }

    private NeededChunks needed(ManifestRef ref) {
        NeededChunks known = needed.get(ref.digest());
        if (known != null) {
            return known;
        }
        try (CachedManifest manifest = manifests.open(ref)) {
            NeededChunks found = NeededChunks.of(manifest);
            if (table().entries.containsKey(ref.digest())) {
                needed.put(ref.digest(), found);
            }
            return found;
        }
    }

    /**
     * Runs an action if no version is mounted with another manifest than these, nor may be by a row
     * that is not understood. None appears while it runs: whoever asks this worker about one asks
     * afterwards.
     *
     * @param action quick
     * @return whether it was run
     */
    boolean unlessOthers(Set<Digest> known, Runnable action) {
        synchronized (tableChange) {
            Table now = table();
            if (now.view.hidesClaims() || !known.containsAll(now.entries.keySet())) {
                return false;
            }
            action.run();
            return true;
        }
    }

    /**
     * Does something if the table is still this one. It does not change meanwhile.
     *
     * @param action quick
     * @return what it returned; empty if the table is another one
     */
    <T> Optional<T> ifStill(RegionView view, Supplier<T> action) {
        synchronized (tableChange) {
            return table().view.equals(view) ? Optional.of(action.get()) : Optional.empty();
        }
    }

    private void keepOpen(ManifestRef ref) {
        CachedManifest another = manifests.open(ref);
        if (keptOpen.asMap().putIfAbsent(ref.digest(), another) != null) {
            another.close();
        } else if (!table().entries.containsKey(ref.digest())) {
            // It was unmounted meanwhile, and the update that said so may have come too early.
            close(keptOpen.asMap().remove(ref.digest()));
        }
    }

    private Table table() {
        Table now = table;
        if (now == null) {
            throw new ForebayException(
                    ErrorCode.UNAVAILABLE, "this worker has not seen its region's etcd yet");
        }
        return now;
    }

    private static boolean evicting(Mount mount) {
        return mount.state() == Mount.State.EVICTING;
    }

    private static void close(@Nullable CachedManifest manifest) {
        if (manifest != null) {
            manifest.close();
        }
    }

    @Override
    public void close() {
        for (Digest digest : keptOpen.asMap().keySet()) {
            close(keptOpen.asMap().remove(digest));
        }
    }
}
