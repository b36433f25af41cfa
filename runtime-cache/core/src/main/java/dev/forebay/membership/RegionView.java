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
 * What a region's etcd said last: an immutable snapshot that stays in use while etcd is away.
 *
 * @param workers every registered worker, by id; the basis of placement
 * @param live the ids of those whose lease is alive; the basis of fail-over
 * @param mounts the mount table, by path
 * @param pins every pin in the region
 * @param queue who waits for room, by path
 * @param departed workers that lost their place because they stayed away, and may come back
 * @param notUnderstood the keys of rows that this release does not understand
 */
public record RegionView(
        List<WorkerNode> workers,
        Set<String> live,
        List<Mount> mounts,
        List<Pin> pins,
        List<Applicant> queue,
        List<WorkerNode> departed,
        Set<String> notUnderstood) {

    /** A region of which all is understood, and in which every worker has its place. */
    public RegionView(
            List<WorkerNode> workers,
            Set<String> live,
            List<Mount> mounts,
            List<Pin> pins,
            List<Applicant> queue) {
        this(workers, live, mounts, pins, queue, List.of(), Set.of());
    }

    /** A region in which nobody waits. */
    public RegionView(
            List<WorkerNode> workers, Set<String> live, List<Mount> mounts, List<Pin> pins) {
        this(workers, live, mounts, pins, List.of());
    }

    /**
     * Returns whether a row that is not understood may protect data, and this release cannot tell
     * which. Then nothing may be dropped or evicted.
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

    /** Returns whether there is a worker whose row, and so its capacity, is not understood. */
    public boolean hidesWorkers() {
        return notUnderstood.stream().anyMatch(key -> key.startsWith(Keys.WORKERS + "/"));
    }

    /** The manifests of all versions that are not on their way out. */
    public Set<ManifestRef> manifests() {
        return mounts.stream()
                .filter(mount -> mount.state() != Mount.State.EVICTING)
                .map(Mount::manifest)
                .collect(Collectors.toUnmodifiableSet());
    }

    /** How many workers are to hold each chunk, by manifest; the most that a version asks for. */
    public Map<Digest, Integer> replicas() {
        return mounts.stream()
                .collect(
                        Collectors.toUnmodifiableMap(
                                mount -> mount.manifest().digest(), Mount::replicas, Math::max));
    }

    /** The other regions to ask for the bytes of a manifest before the lake, in order. */
    public List<Sibling> siblings(Digest manifest) {
        return mounts.stream()
                .filter(mount -> mount.manifest().digest().equals(manifest))
                .flatMap(mount -> mount.siblings().stream())
                .distinct()
                .toList();
    }
}
