package dev.forebay.transfer;

import dev.forebay.placement.WorkerNode;
import java.util.List;
import java.util.Set;

/**
 * The workers of a region at some moment.
 *
 * @param registered all that have a place, the basis of placement
 * @param live the ids of those that are up, the basis of fail-over
 */
public record WorkerSet(List<WorkerNode> registered, Set<String> live) {}
