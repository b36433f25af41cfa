package dev.forebay.agent.capacity;

import dev.forebay.manifest.cache.ManifestCache;
import dev.forebay.membership.Mount;
import dev.forebay.model.DatasetVersion;
import dev.forebay.model.ManifestRef;
import dev.forebay.service.space.SharedBytes.Share;
import jakarta.inject.Inject;
import jakarta.inject.Singleton;
import java.util.Collection;
import java.util.HashSet;
import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.Collectors;

/**
 * Computes the space that versions take in a region's stores, in bytes. Chunks that versions share
 * count once, across all datasets, as their manifests show. Safe for use by many threads.
 */
@Singleton
public class SpaceCalculator {

    private static final long MOST_HEAP_BYTES = 32L << 20;

    private static final int MOST_SIZES_REMEMBERED = 10_000;

    private final ManifestCache manifests;
    private final VersionFamilies families;
    private final long mostHeapBytes;
    // Both in order of last use, and guarded by the first.
    private final Map<Set<ManifestRef>, SharedSpace> known = new LinkedHashMap<>(16, 0.75f, true);
    private final Map<ManifestRef, Long> sizes = new LinkedHashMap<>(16, 0.75f, true);
    private long heapBytes;

    @Inject
    SpaceCalculator(ManifestCache manifests) {
        this(manifests, MOST_HEAP_BYTES);
    }

    SpaceCalculator(ManifestCache manifests, long mostHeapBytes) {
        this.manifests = manifests;
        this.families = new VersionFamilies(manifests);
        this.mostHeapBytes = mostHeapBytes;
    }

    /** Returns an estimate of the heap that the remembered results take, in bytes. */
    long heapBytes() {
        synchronized (known) {
            return heapBytes;
        }
    }

    /** Returns the space of all these mounts together. */
    long of(Collection<Mount> mounts) {
        return families(manifests(mounts)).stream().mapToLong(each -> shared(each).bytes()).sum();
    }

    /** Returns the space of a namespace's mounts together. */
    long of(String namespace, Collection<Mount> mounts) {
        return of(inNamespace(namespace, mounts));
    }

    /** Returns the additional space if {@code manifest} is mounted, too. */
    long more(ManifestRef manifest, Collection<Mount> mounts) {
        return more(manifest, manifests(mounts));
    }

    /** Returns the additional space of {@code manifest} beside the given versions. */
    long more(ManifestRef manifest, Set<ManifestRef> there) {
        return there.contains(manifest) ? 0 : shared(family(manifest, there)).alone(manifest);
    }

    /** Returns how much more of its quota the namespace then uses. */
    long more(String namespace, ManifestRef manifest, Collection<Mount> mounts) {
        return more(manifest, inNamespace(namespace, mounts));
    }

    private static List<Mount> inNamespace(String namespace, Collection<Mount> mounts) {
        return mounts.stream()
                .filter(mount -> mount.version().dataset().namespace().equals(namespace))
                .toList();
    }

    private static Set<ManifestRef> manifests(Collection<Mount> mounts) {
        return mounts.stream().map(Mount::manifest).collect(Collectors.toUnmodifiableSet());
    }

    /** Returns the space of these versions by owners. Versions may have the same manifest. */
    List<Share> shares(Map<DatasetVersion, ManifestRef> versions) {
        Map<ManifestRef, List<DatasetVersion>> names =
                versions.entrySet().stream()
                        .collect(
                                Collectors.groupingBy(
                                        Map.Entry::getValue,
                                        Collectors.mapping(
                                                Map.Entry::getKey, Collectors.toList())));
        return families(names.keySet()).stream()
                .map(this::shared)
                .flatMap(shared -> shared.parts().stream().map(part -> share(shared, part, names)))
                .toList();
    }

    private static Share share(
            SharedSpace shared,
            SharedSpace.Part part,
            Map<ManifestRef, List<DatasetVersion>> names) {
        return new Share(
                part.owners().stream()
                        .mapToObj(shared.versions()::get)
                        .flatMap(owner -> names.getOrDefault(owner, List.of()).stream())
                        .toList(),
                part.bytes());
    }

    /**
     * Returns a version together with those of the others that share packs with it, directly or
     * through other versions.
     */
    Set<ManifestRef> family(ManifestRef version, Set<ManifestRef> others) {
        Set<ManifestRef> all = new HashSet<>(others);
        all.add(version);
        return families(all).stream()
                .filter(each -> each.contains(version))
                .findFirst()
                .orElseThrow();
    }

    /**
     * Returns the versions in families. The space of one family does not overlap with that of
     * another.
     */
    List<Set<ManifestRef>> families(Set<ManifestRef> versions) {
        return families.of(versions);
    }

    /**
     * Returns how the versions of one family share their space. It does not read the chunks of a
     * single version. It uses the size from an earlier reading beside others, or else {@link
     * ManifestRef#spaceBytes}.
     */
    SharedSpace shared(Set<ManifestRef> versions) {
        if (versions.size() == 1) {
            ManifestRef version = versions.iterator().next();
            synchronized (known) {
                return SharedSpace.single(
                        version, sizes.getOrDefault(version, version.spaceBytes()));
            }
        }
        synchronized (known) {
            SharedSpace shared = known.get(versions);
            if (shared != null) {
                return shared;
            }
        }
        SharedSpace shared = SharedSpace.read(versions, manifests);
        remember(Set.copyOf(versions), shared);
        return shared;
    }

    private void remember(Set<ManifestRef> versions, SharedSpace shared) {
        synchronized (known) {
            for (int i = 0; i < shared.versions().size(); i++) {
                // Keeps the size that was used to predict what evicting its relatives frees, so
                // that it stays true when the version is alone.
                sizes.put(shared.versions().get(i), shared.whole().get(i));
            }
            shrink(sizes, MOST_SIZES_REMEMBERED);
            SharedSpace before = known.put(versions, shared);
            heapBytes += shared.heapBytes() - (before == null ? 0 : before.heapBytes());
            Iterator<SharedSpace> eldest = known.values().iterator();
            while (heapBytes > mostHeapBytes) {
                heapBytes -= eldest.next().heapBytes();
                eldest.remove();
            }
        }
    }

    private static void shrink(Map<?, ?> remembered, int most) {
        Iterator<?> eldest = remembered.keySet().iterator();
        while (remembered.size() > most) {
            eldest.next();
            eldest.remove();
        }
    }
}
