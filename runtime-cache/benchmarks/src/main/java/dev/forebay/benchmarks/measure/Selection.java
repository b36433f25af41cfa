package dev.forebay.benchmarks.measure;

import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import java.util.stream.Stream;

/**
 * The measurements that the user asks for.
 *
 * @param goals to measure; all cases of all contenders if empty
 * @param controlPlane whether to measure ensure and prewarming, too
 */
public record Selection(List<Goal> goals, boolean controlPlane) {
    private static final String CONTROL_PLANE = "control_plane";

    /**
     * Parses a list of names, separated by commas.
     *
     * @throws IllegalArgumentException naming the valid names
     */
    public static Selection parse(String text) {
        if (text.isEmpty()) {
            return new Selection(List.of(), true);
        }
        Set<String> names = new LinkedHashSet<>(List.of(text.split(",", -1)));
        boolean controlPlane = names.remove(CONTROL_PLANE);
        List<Goal> goals = Goal.ALL.stream().filter(goal -> names.contains(goal.key())).toList();
        if (goals.size() < names.size()) {
            throw new IllegalArgumentException(
                    "there are "
                            + Stream.concat(
                                            Goal.ALL.stream().map(Goal::key),
                                            Stream.of(CONTROL_PLANE))
                                    .toList());
        }
        return new Selection(goals, controlPlane);
    }

    public boolean isAll() {
        return goals.isEmpty() && controlPlane;
    }

    /** Returns the contenders to measure in a case. */
    public List<BenchmarkedSystem> of(String name, List<BenchmarkedSystem> contenders) {
        return contenders.stream()
                .filter(
                        contender ->
                                isAll()
                                        || goals.stream()
                                                .anyMatch(
                                                        goal ->
                                                                goal.needs(
                                                                        name, contender.label())))
                .toList();
    }
}
