package dev.forebay.agent.kubernetes;

import static java.util.stream.Collectors.toMap;

import dev.forebay.agent.jobs.Nodes;
import dev.forebay.agent.jobs.WarmLabels;
import dev.forebay.membership.NodeReport;
import dev.forebay.model.ForebayException;
import dev.forebay.thread.PeriodicTask;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.Supplier;

/**
 * Keeps the labels of Kubernetes nodes equal to the nodes' reports in etcd. Each round compares all
 * of both, so it needs no memory, repairs any difference, and may run in several agents at once. It
 * writes only changes. While etcd or the API server does not answer, labels stay as they are.
 */
public final class NodeLabels implements AutoCloseable {

    /** In one round. A node that cannot be labelled does not prevent the labels of others. */
    private static final int MOST_FAILURES = 5;

    private final WarmLabels labels;
    private final Supplier<List<NodeReport>> reports;
    private final Nodes nodes;
    private final PeriodicTask rounds;
    private volatile long count;

    /**
     * @param reports reads the reports of nodes; throws if there is no answer
     * @param interval between two rounds
     */
    public NodeLabels(
            WarmLabels labels, Supplier<List<NodeReport>> reports, Nodes nodes, Duration interval) {
        this.labels = labels;
        this.reports = reports;
        this.nodes = nodes;
        this.rounds = ReconcileTasks.of("update of node labels", interval, this::check);
    }

    public void start() {
        rounds.start();
    }

    /** Returns how many labels the last round wanted on all nodes. */
    public long count() {
        return count;
    }

    /**
     * Runs one round.
     *
     * @throws ForebayException if etcd or the API server does not answer, or nodes could not be
     *     labelled
     */
    void check() {
        Map<String, Map<String, String>> said =
                reports.get().stream()
                        .collect(
                                toMap(
                                        report -> report.node().value(),
                                        report -> labels.of(report.versions())));
        Map<String, Map<String, String>> there = nodes.labels(labels.prefix());
        long wanted = 0;
        List<ForebayException> failures = new ArrayList<>();
        for (Map.Entry<String, Map<String, String>> node : there.entrySet()) {
            Map<String, String> saidOfIt = said.getOrDefault(node.getKey(), Map.of());
            wanted += saidOfIt.size();
            try {
                label(node.getKey(), node.getValue(), saidOfIt);
            } catch (ForebayException e) {
                failures.add(e);
                if (failures.size() == MOST_FAILURES) {
                    break;
                }
            }
        }
        count = wanted;
        if (!failures.isEmpty()) {
            throw failures.getLast();
        }
    }

    private void label(String node, Map<String, String> there, Map<String, String> said) {
        Map<String, Optional<String>> changes = changes(there, said);
        if (!changes.isEmpty()) {
            nodes.change(node, changes);
        }
    }

    /** Returns the changes that turn the present labels into the wanted ones. */
    static Map<String, Optional<String>> changes(
            Map<String, String> there, Map<String, String> wanted) {
        Map<String, Optional<String>> changes = new HashMap<>();
        there.keySet().forEach(key -> changes.put(key, Optional.empty()));
        wanted.forEach((key, value) -> changes.put(key, Optional.of(value)));
        there.forEach((key, value) -> changes.remove(key, Optional.of(value)));
        return changes;
    }

    @Override
    public void close() {
        rounds.close();
    }
}
