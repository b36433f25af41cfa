package dev.forebay.membership;

import dev.forebay.model.Digest;
import dev.forebay.model.ManifestRef;
import dev.forebay.model.Sibling;
import dev.forebay.placement.WorkerNode;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.Collectors;

/**
 * What a region's etcd said last: an immutable snapshot that stays in use while etcd is away.
 *
 * @param workers every registered worker, by id; the basis of placement
 * @param live the ids of those whose lease is alive; the basis of fail-over
 * @param mounts the mount table, by path
 * @param pins every pin in the region
 * @param queue who waits for room, by path
 */
public record RegionView(
        List<WorkerNode> workers,
        Set<String> live,
        List<Mount> mounts,
        List<Pin> pins,
        List<Applicant> queue) {

    /** A region in which nobody waits. */
    public RegionView(
            List<WorkerNode> workers, Set<String> live, List<Mount> mounts, List<Pin> pins) {
        this(workers, live, mounts, pins, List.of());
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
