package dev.forebay.worker.retention;

import com.github.benmanes.caffeine.cache.Cache;
import com.github.benmanes.caffeine.cache.Caffeine;
import dev.forebay.manifest.Pack;
import dev.forebay.manifest.cache.CachedManifest;
import dev.forebay.manifest.cache.ManifestCache;
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
 * Opens the manifests of the versions in the region's mount table, by digest.
 *
 * <p>The last known table stays in use while etcd is down. A bounded number of manifests stays open
 * between requests, because opening one costs more than a query. Safe for use by many threads.
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
     * The row of one manifest.
     *
     * @param evicting whether every version with this manifest is being evicted
     */
    private record Entry(ManifestRef ref, boolean evicting) {}

    /** An open manifest. The caller closes it. */
    public record Use(Digest digest, CachedManifest manifest) implements AutoCloseable {

        /**
         * Returns the length of a pack in bytes.
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
     * Contains no version until the first {@link #update}.
     *
     * @param open the number of manifests to keep open between requests
     * @param catchUp returns after {@link #update} has received everything that etcd knew at the
     *     time of the call, or throws
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

    /** Replaces the table with the given state of the region. */
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
     * Opens the manifest of a mounted version, and fetches it if it is not on this disk. Blocks.
     *
     * @throws ForebayException {@code NOT_FOUND} if no version with it is mounted, according to a
     *     fresh read of etcd; also the failures of etcd and of the fetch
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
     * Opens the manifest of a version like {@link #use(Digest)}.
     *
     * @throws ForebayException {@code NOT_FOUND} if the version is not mounted with this manifest
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

    /** Looks again after catching up with etcd: the caller may know a later state of the region. */
    private <T> Optional<T> caughtUp(Supplier<Optional<T>> look) {
        Optional<T> found = look.get();
        if (found.isPresent()) {
            return found;
        }
        catchUp();
        return look.get();
    }

    /**
     * Returns after {@link #view} contains everything that etcd knew at the time of the call.
     *
     * @throws ForebayException {@code UNAVAILABLE} if etcd does not answer in time
     */
    void catchUp() {
        catchUp.run();
    }

    /** Returns whether {@link #use} would answer without blocking. */
    public boolean atHand(Digest digest) {
        return keptOpen.getIfPresent(digest) != null;
    }

    /** Returns whether a version with this manifest is mounted now and not being evicted. */
    public boolean fillable(Digest digest) {
        Entry entry = table().entries.get(digest);
        return entry != null && !entry.evicting();
    }

    /**
     * Returns the state of the region that the table was made from.
     *
     * @throws ForebayException {@code UNAVAILABLE} before the first update
     */
    public RegionView view() {
        return table().view;
    }

    /** Returns whether the region's state was received at least once. */
    public boolean ready() {
        return table != null;
    }

    /**
     * Returns the packs that a mounted version refers to. Blocks if its manifest is not on this
     * disk.
     */
    public Set<PackId> packs(ManifestRef ref) {
        return needed(ref).packs();
    }

    /** Returns whether {@link #packs} would answer without blocking. */
    boolean knowsPacks(Digest digest) {
        return needed.containsKey(digest);
    }

    /**
     * Returns the chunks of these packs that at least one of the versions needs. Blocks if a
     * manifest is not on this disk.
     */
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
     * Runs an action if only these manifests are mounted and no row of a later release may claim
     * others. The table does not change while the action runs, so requests for a newly mounted
     * version come after it.
     *
     * @param action must be quick
     * @return whether the action ran
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
     * Runs an action if the table is still made from this view. The table does not change while it
     * runs.
     *
     * @param action must be quick
     * @return the action's result, or empty if the table has changed
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
            // The version was unmounted meanwhile, and update() may have run before the manifest
            // was put.
            close(keptOpen.asMap().remove(ref.digest()));
        }
    }

    private Table table() {
        Table now = table;
        if (now == null) {
            throw new ForebayException(
                    ErrorCode.UNAVAILABLE,
                    "this worker has not read its region's state from " + "etcd yet: retry");
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
