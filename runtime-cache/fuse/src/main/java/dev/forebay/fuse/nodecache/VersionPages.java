package dev.forebay.fuse.nodecache;

import com.github.benmanes.caffeine.cache.Cache;
import com.github.benmanes.caffeine.cache.Caffeine;
import dev.forebay.fuse.fs.Manifests;
import dev.forebay.manifest.Pack;
import dev.forebay.manifest.Segment;
import dev.forebay.manifest.cache.CachedManifest;
import dev.forebay.membership.Mount;
import dev.forebay.model.ChunkId;
import dev.forebay.model.DatasetVersion;
import dev.forebay.model.Digest;
import dev.forebay.model.ErrorCode;
import dev.forebay.model.ForebayException;
import dev.forebay.model.ManifestRef;
import dev.forebay.model.PackId;
import java.util.BitSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.function.Function;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/** The packs and live pages of mounted versions, from their manifests. Thread-safe. */
final class VersionPages implements LivePages {

    /**
     * The minimum number of cached page sets. Each takes about half a KiB, so this is cheap, and
     * covers 128 GiB of packs.
     */
    private static final int LEAST_CHUNKS = 16_384;

    private static final int MOST_CHUNKS = 262_144;

    /** The maximum number of cached packs; each takes about 200 bytes. */
    private static final int MOST_PACKS = 262_144;

    private record Key(Digest manifest, ChunkId chunk) {}

    private final Manifests manifests;
    private final Cache<Key, BitSet> pages;

    /** The packs and their sizes, by manifest. Requested every few seconds for all versions. */
    private final Cache<Digest, Map<PackId, Long>> packs =
            Caffeine.newBuilder()
                    .maximumWeight(MOST_PACKS)
                    .<Digest, Map<PackId, Long>>weigher((_, each) -> each.size() + 1)
                    .build();

    private volatile Map<Digest, Mount> mounted = Map.of();

    /**
     * Creates the object without versions; see {@link #update}.
     *
     * @param capacityBytes the capacity of the node cache
     */
    VersionPages(Manifests manifests, long capacityBytes) {
        this.manifests = manifests;
        this.pages = Caffeine.newBuilder().maximumSize(remembered(capacityBytes)).build();
    }

    /**
     * Returns the number of page sets to cache: twice the chunks that fit, because versions share
     * chunks.
     */
    static long remembered(long capacityBytes) {
        return Math.clamp(2 * (capacityBytes / PackUnits.CHUNK), LEAST_CHUNKS, MOST_CHUNKS);
    }

    /**
     * Sets the mount table, and returns whether its manifests changed. Must be called before the
     * versions are shown.
     */
    boolean update(List<Mount> mounts) {
        Set<Digest> before = mounted.keySet();
        mounted =
                mounts.stream()
                        .collect(
                                Collectors.toUnmodifiableMap(
                                        mount -> mount.manifest().digest(),
                                        mount -> mount,
                                        (one, _) -> one));
        packs.asMap().keySet().retainAll(mounted.keySet());
        return !mounted.keySet().equals(before);
    }

    @Override
    public long packBytes(Digest manifest, PackId pack) {
        Long bytes = packBytes(manifest).get(pack);
        if (bytes == null) {
            throw new ForebayException(
                    ErrorCode.NOT_FOUND, "manifest %s has no pack %s".formatted(manifest, pack));
        }
        return bytes;
    }

    private Map<PackId, Long> packBytes(Digest manifest) {
        ManifestRef ref = ref(manifest);
        Map<PackId, Long> known = packs.getIfPresent(manifest);
        if (known != null) {
            return known;
        }
        Map<PackId, Long> read =
                ask(ref, CachedManifest::packs).stream()
                        .collect(
                                Collectors.toUnmodifiableMap(
                                        Pack::id, Pack::bytes, (one, _) -> one));
        packs.put(manifest, read);
        return read;
    }

    /** Returns the packs of a version. */
    Set<PackId> packs(Digest manifest) {
        return packBytes(manifest).keySet();
    }

    /** Returns the packs of a version, or empty if they are unknown without blocking. */
    Optional<Set<PackId>> packsAtHand(Digest manifest) {
        Mount mount = mounted.get(manifest);
        return mount != null
                        && (packs.getIfPresent(manifest) != null
                                || manifests.isHere(mount.manifest()))
                ? Optional.of(packs(manifest))
                : Optional.empty();
    }

    /** Returns the mounted versions that have a pack, as far as known without blocking. */
    List<Digest> versions(PackId pack) {
        return mountsWith(pack).map(mount -> mount.manifest().digest()).toList();
    }

    @Override
    public List<DatasetVersion> names(PackId pack) {
        return mountsWith(pack).map(Mount::version).toList();
    }

    private Stream<Mount> mountsWith(PackId pack) {
        return mounted.values().stream()
                .filter(
                        mount ->
                                packsAtHand(mount.manifest().digest())
                                        .filter(packs -> packs.contains(pack))
                                        .isPresent());
    }

    /** Returns the mounted versions. */
    Set<Digest> mounted() {
        return mounted.keySet();
    }

    @Override
    public BitSet of(Digest manifest, ChunkId chunk) {
        Key key = new Key(manifest, chunk);
        BitSet known = pages.getIfPresent(key);
        if (known != null) {
            return known;
        }
        // Not inside the cache's lock, where other threads would wait too: this may fetch a
        // manifest.
        BitSet live = read(key);
        pages.put(key, live);
        return live;
    }

    @Override
    public boolean areAtHand(Digest manifest, ChunkId chunk) {
        Mount mount = mounted.get(manifest);
        return mount == null
                || pages.getIfPresent(new Key(manifest, chunk)) != null
                || manifests.isHere(mount.manifest());
    }

    private BitSet read(Key key) {
        long start = key.chunk.start();
        long end = start + ChunkId.CHUNK_BYTES;
        BitSet live = new BitSet(PackUnits.PAGES_OF_CHUNK);
        for (Segment segment : ask(ref(key.manifest), manifest -> manifest.segments(key.chunk))) {
            long from = Math.max(start, segment.packOffset());
            long to = Math.min(end, segment.packOffset() + segment.size());
            live.or(PackUnits.pagesOf(from, to));
        }
        return live;
    }

    private ManifestRef ref(Digest digest) {
        Mount mount = mounted.get(digest);
        if (mount == null) {
            throw new ForebayException(
                    ErrorCode.NOT_FOUND,
                    "no version with manifest %s is mounted".formatted(digest));
        }
        return mount.manifest();
    }

    private <T> T ask(ManifestRef ref, Function<CachedManifest, T> question) {
        try (CachedManifest manifest = manifests.open(ref)) {
            return question.apply(manifest);
        }
    }
}
