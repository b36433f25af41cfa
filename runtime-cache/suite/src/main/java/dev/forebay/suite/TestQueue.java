package dev.forebay.suite;

import java.util.ArrayDeque;
import java.util.Comparator;
import java.util.Deque;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;

/**
 * The queue of classes and jobs that no slot has run yet. Classes that can share a JVM form a
 * group. A slot stays with its group while the group has work, because a new JVM and new servers
 * cost seconds. Thread-safe.
 */
final class TestQueue {
    /** Identifies a group: a module and part, or the name of a job. */
    private record Group(Object one, Object other) {
        static Group of(Work work) {
            return switch (work) {
                case TestClass test -> new Group(test.module(), test.part());
                case Job job -> new Group(Job.class, job.name());
            };
        }
    }

    private final ClassTimes times;
    private final Map<Group, Deque<Work>> waiting = new LinkedHashMap<>();
    private final Map<Group, Integer> slots = new HashMap<>();

    TestQueue(List<? extends Work> work, ClassTimes times) {
        this.times = times;
        work.stream()
                .sorted(Comparator.<Work>comparingDouble(times::seconds).reversed())
                .forEach(
                        one ->
                                waiting.computeIfAbsent(Group.of(one), group -> new ArrayDeque<>())
                                        .add(one));
    }

    /**
     * Takes the next work for a slot: the longest of the slot's group. If the group has no work
     * left, takes it from the group with the most seconds for each slot that would then work on it.
     *
     * @param last what the slot ran before, if anything
     */
    synchronized Optional<Work> next(Optional<Work> last) {
        Optional<Group> before = last.map(Group::of);
        if (before.isPresent() && waiting.containsKey(before.get())) {
            return Optional.of(take(before.get()));
        }
        before.ifPresent(group -> slots.merge(group, -1, Integer::sum));
        Optional<Group> next =
                waiting.keySet().stream().max(Comparator.comparingDouble(this::secondsForEachSlot));
        next.ifPresent(group -> slots.merge(group, 1, Integer::sum));
        return next.map(this::take);
    }

    private Work take(Group group) {
        Deque<Work> left = Objects.requireNonNull(waiting.get(group));
        Work work = left.remove();
        if (left.isEmpty()) {
            waiting.remove(group);
        }
        return work;
    }

    private double secondsForEachSlot(Group group) {
        Deque<Work> left = Objects.requireNonNull(waiting.get(group));
        double seconds = left.stream().mapToDouble(times::seconds).sum();
        return seconds / (1 + slots.getOrDefault(group, 0));
    }
}
