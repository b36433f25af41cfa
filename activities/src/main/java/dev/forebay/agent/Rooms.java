package dev.forebay.agent;

import dev.forebay.manifest.ManifestCache;
import dev.forebay.membership.Mount;
import dev.forebay.model.ManifestRef;
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
 * How much of a region's stores versions take. What versions share counts once, whatever datasets
 * they are of: that is known from their manifests. Safe for use by many threads.
 */
@Singleton
class Rooms {

    private static final long MOST_HEAP_BYTES = 32L << 20;

    private static final int MOST_SIZES_REMEMBERED = 10_000;

    private final ManifestCache manifests;
    private final Families families;
    private final long mostHeapBytes;
    // Both in order of last use, and guarded by the first.
    private final Map<Set<ManifestRef>, SharedRoom> known = new LinkedHashMap<>(16, 0.75f, true);
    private final Map<ManifestRef, Long> sizes = new LinkedHashMap<>(16, 0.75f, true);
    private long heapBytes;

    @Inject
    Rooms(ManifestCache manifests) {
        this(manifests, MOST_HEAP_BYTES);
    }

    Rooms(ManifestCache manifests, long mostHeapBytes) {
        this.manifests = manifests;
        this.families = new Families(manifests);
        this.mostHeapBytes = mostHeapBytes;
    }

    /** About how much of the heap is taken by what is remembered. */
    long heapBytes() {
        synchronized (known) {
            return heapBytes;
        }
    }

    /** What all of these take together. */
    long of(Collection<Mount> mounts) {
        return families(manifests(mounts)).stream().mapToLong(each -> shared(each).bytes()).sum();
    }

    /** What those of a namespace take together. */
    long of(String namespace, Collection<Mount> mounts) {
        return of(inNamespace(namespace, mounts));
    }

    /** How much more is taken when {@code manifest} is mounted, too. */
    long more(ManifestRef manifest, Collection<Mount> mounts) {
        return more(manifest, manifests(mounts));
    }

    /** How much more is taken when {@code manifest} is beside these. */
    long more(ManifestRef manifest, Set<ManifestRef> there) {
        return there.contains(manifest) ? 0 : shared(family(manifest, there)).alone(manifest);
    }

    /** How much more of its quota a namespace takes then. */
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

    /** A version and those of the others that it shares packs with, directly or through others. */
    Set<ManifestRef> family(ManifestRef version, Set<ManifestRef> others) {
        Set<ManifestRef> all = new HashSet<>(others);
        all.add(version);
        return families(all).stream()
                .filter(each -> each.contains(version))
                .findFirst()
                .orElseThrow();
    }

    /** These, sorted by what they share; each family takes room of its own. */
    List<Set<ManifestRef>> families(Set<ManifestRef> versions) {
        return families.of(versions);
    }

    /**
     * How these, of one family, share their room. Of one version by itself the chunks are not read
     * for this: unless they were read beside others before, it takes {@link ManifestRef#roomBytes}.
     */
    SharedRoom shared(Set<ManifestRef> versions) {
        if (versions.size() == 1) {
            ManifestRef version = versions.iterator().next();
            synchronized (known) {
                return SharedRoom.single(version, sizes.getOrDefault(version, version.roomBytes()));
            }
        }
        synchronized (known) {
            SharedRoom room = known.get(versions);
            if (room != null) {
                return room;
            }
        }
        SharedRoom room = SharedRoom.read(versions, manifests);
        remember(Set.copyOf(versions), room);
        return room;
    }

    private void remember(Set<ManifestRef> versions, SharedRoom room) {
        synchronized (known) {
            for (int i = 0; i < room.versions().size(); i++) {
                // What is promised of its relatives' going is then kept when it is left alone.
                sizes.put(room.versions().get(i), room.whole().get(i));
            }
            shrink(sizes, MOST_SIZES_REMEMBERED);
            SharedRoom before = known.put(versions, room);
            heapBytes += room.heapBytes() - (before == null ? 0 : before.heapBytes());
            Iterator<SharedRoom> eldest = known.values().iterator();
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
