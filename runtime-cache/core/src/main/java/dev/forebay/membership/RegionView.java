package dev.forebay.membership;

import dev.forebay.model.Digest;
import dev.forebay.model.ManifestRef;
import dev.forebay.model.Sibling;
import dev.forebay.placement.WorkerNode;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/**
 * An immutable snapshot of a region's state in etcd. It stays in use while etcd is away.
 *
 * @param workers every registered worker, by id; the basis of placement
 * @param live the ids of the workers whose lease is alive; the basis of fail-over
 * @param mounts the mount table, by path
 * @param pins every pin in the region
 * @param queue the versions that wait for space, by path
 * @param departed workers that lost their place because they stayed away, and may come back
 * @param notUnderstood the keys of rows that this release does not understand
 */
public record RegionView(
        List<WorkerNode> workers,
        Set<String> live,
        List<Mount> mounts,
        List<Pin> pins,
        List<QueuedVersion> queue,
        List<WorkerNode> departed,
        Set<String> notUnderstood) {

    /** Creates a view without departed workers and without rows that are not understood. */
    public RegionView(
            List<WorkerNode> workers,
            Set<String> live,
            List<Mount> mounts,
            List<Pin> pins,
            List<QueuedVersion> queue) {
        this(workers, live, mounts, pins, queue, List.of(), Set.of());
    }

    /** Creates a view with an empty queue. */
    public RegionView(
            List<WorkerNode> workers, Set<String> live, List<Mount> mounts, List<Pin> pins) {
        this(workers, live, mounts, pins, List.of());
    }

    /**
     * Returns whether a row that is not understood may protect data, and this release cannot
     * determine which data. If so, nothing may be dropped or evicted.
     */
    public boolean hidesClaims() {
        return !hiddenClaims().isEmpty();
    }

    /** Returns the keys of such rows, sorted. */
    public List<String> hiddenClaims() {
        if (notUnderstood.isEmpty()) {
            return List.of();
        }
        Set<String> known =
                Stream.concat(
                                mounts.stream().map(mount -> Keys.MOUNTS + "/" + path(mount)),
                                pins.stream().map(RegionView::key))
                        .collect(Collectors.toSet());
        return notUnderstood.stream()
                .filter(Keys::mayClaim)
                .filter(key -> !known.contains(key))
                .sorted()
                .toList();
    }

    private static String path(Mount mount) {
        return mount.version().path();
    }

    private static String key(Pin pin) {
        return "%s/%s/%s".formatted(Keys.PINS, pin.version().path(), pin.id());
    }

    /** Returns whether a worker's row, and so its capacity, is not understood. */
    public boolean hidesWorkers() {
        return notUnderstood.stream().anyMatch(key -> key.startsWith(Keys.WORKERS + "/"));
    }

    /** Returns the manifests of all versions that are not being evicted. */
    public Set<ManifestRef> manifests() {
        return mounts.stream()
                .filter(mount -> mount.state() != Mount.State.EVICTING)
                .map(Mount::manifest)
                .collect(Collectors.toUnmodifiableSet());
    }

    /**
     * Returns the number of workers that hold each chunk, by manifest: the highest number that a
     * version requests.
     */
    public Map<Digest, Integer> replicas() {
        return mounts.stream()
                .collect(
                        Collectors.toUnmodifiableMap(
                                mount -> mount.manifest().digest(), Mount::replicas, Math::max));
    }

    /** Returns the other regions to ask for the bytes of a manifest before the lake, in order. */
    public List<Sibling> siblings(Digest manifest) {
        return mounts.stream()
                .filter(mount -> mount.manifest().digest().equals(manifest))
                .flatMap(mount -> mount.siblings().stream())
                .distinct()
                .toList();
    }
}
