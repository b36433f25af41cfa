package dev.forebay.membership;

import dev.forebay.placement.WorkerNode;
import java.util.List;
import java.util.Set;

/**
 * What a region's etcd said last: an immutable snapshot that stays in use while etcd is away.
 *
 * @param workers every registered worker, by id; the basis of placement
 * @param live the ids of those whose lease is alive; the basis of fail-over
 * @param mounts the mount table, by path
 * @param pins every pin in the region
 */
public record RegionView(
        List<WorkerNode> workers, Set<String> live, List<Mount> mounts, List<Pin> pins) {}
