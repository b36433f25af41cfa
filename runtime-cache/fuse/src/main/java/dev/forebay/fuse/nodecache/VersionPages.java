package dev.forebay.fuse.nodecache;

import com.github.benmanes.caffeine.cache.Cache;
import com.github.benmanes.caffeine.cache.Caffeine;
import dev.forebay.fuse.fs.Manifests;
import dev.forebay.manifest.CachedManifest;
import dev.forebay.manifest.Pack;
import dev.forebay.manifest.Segment;
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

/**
 * The packs and live pages of mounted versions, from their manifests. Safe for use by many threads.
 */
final class VersionPages implements LivePages {

    /** Each takes about half a KiB: so many are always affordable, and this is 128 GiB of packs. */
    private static final int LEAST_CHUNKS = 16_384;

    private static final int MOST_CHUNKS = 262_144;

    /** Of how many packs to remember to which versions they belong; each takes about 200 bytes. */
    private static final int MOST_PACKS = 262_144;

    private record Key(Digest manifest, ChunkId chunk) {}

    private final Manifests manifests;
    private final Cache<Key, BitSet> pages;

    /** By manifest: how long its packs are. Asked for every few seconds, of all versions. */
    private final Cache<Digest, Map<PackId, Long>> packs =
            Caffeine.newBuilder()
                    .maximumWeight(MOST_PACKS)
                    .<Digest, Map<PackId, Long>>weigher((_, each) -> each.size() + 1)
                    .build();

    private volatile Map<Digest, Mount> mounted = Map.of();

    /**
     * Knows no version until {@link #update} was called.
     *
     * @param capacityBytes of the node cache
     */
    VersionPages(Manifests manifests, long capacityBytes) {
        this.manifests = manifests;
        this.pages = Caffeine.newBuilder().maximumSize(remembered(capacityBytes)).build();
    }

    /** Of how many chunks to remember the pages: twice what fits, for versions share chunks. */
    static long remembered(long capacityBytes) {
        return Math.clamp(2 * (capacityBytes / Sizes.CHUNK), LEAST_CHUNKS, MOST_CHUNKS);
    }

    /** Takes over the mount table; call it before the versions are shown. */
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

    /** The packs that a version refers to. */
    Set<PackId> packs(Digest manifest) {
        return packBytes(manifest).keySet();
    }

    /** The packs that a version refers to; empty if that cannot be known without waiting for it. */
    Optional<Set<PackId>> packsAtHand(Digest manifest) {
        Mount mount = mounted.get(manifest);
        return mount != null
                        && (packs.getIfPresent(manifest) != null
                                || manifests.isHere(mount.manifest()))
                ? Optional.of(packs(manifest))
                : Optional.empty();
    }

    /** The mounted versions that refer to a pack, as far as that is known without waiting. */
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

    /** The mounted versions. */
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
        // Not within the cache's lock, where others would wait too: this may fetch a manifest.
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
        BitSet live = new BitSet(Sizes.PAGES_OF_CHUNK);
        for (Segment segment : ask(ref(key.manifest), manifest -> manifest.segments(key.chunk))) {
            long from = Math.max(start, segment.packOffset());
            long to = Math.min(end, segment.packOffset() + segment.size());
            live.or(Sizes.pagesOf(from, to));
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
