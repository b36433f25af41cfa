package dev.forebay.cleanup;

import dev.forebay.agent.jobs.Cluster;
import dev.forebay.agent.jobs.Nodes;
import dev.forebay.agent.jobs.WarmLabels;
import dev.forebay.model.ForebayException;
import dev.forebay.operator.DatasetFinalizers;
import dev.forebay.service.kubernetes.KubernetesConnection;
import io.fabric8.kubernetes.client.KubernetesClient;
import java.io.PrintStream;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.Supplier;
import java.util.stream.Collectors;

/**
 * Removes a region's labels from all nodes and Forebay's finalizer from all Datasets, when no
 * process is left to do so. The chart runs it as a hook, after Helm has removed the rights of the
 * processes that write these. Nothing that it removes can therefore come back. All of it may be
 * repeated.
 */
public final class CleanUp {

    /** The argument of the program that selects the clean-up. */
    public static final String NAME = "clean-up";

    private static final Duration PAUSE = Duration.ofSeconds(2);

    private final PrintStream output;
    private final Duration pause;

    CleanUp(PrintStream output, Duration pause) {
        this.output = output;
        this.pause = pause;
    }

    /**
     * Cleans up in the cluster of this process, or in the one that {@code KUBECONFIG} names.
     *
     * @param arguments as {@link CleanUpArguments#parse} reads them
     * @return the exit code of the process
     */
    public static int run(List<String> arguments) {
        CleanUpArguments orders;
        try {
            orders = CleanUpArguments.parse(arguments);
        } catch (ForebayException e) {
            System.out.println(e.getMessage());
            return 2;
        }
        try (KubernetesClient client = KubernetesConnection.connect()) {
            boolean done =
                    new CleanUp(System.out, PAUSE).tryAll(tasks(orders, client), orders.timeout());
            return done ? 0 : 1;
        }
    }

    private static List<Task> tasks(CleanUpArguments orders, KubernetesClient client) {
        List<Task> tasks = new ArrayList<>();
        Nodes nodes = new Cluster(client).nodes();
        orders.region()
                .ifPresent(
                        region ->
                                tasks.add(
                                        new Task(
                                                "node labels",
                                                () ->
                                                        removeLabels(
                                                                nodes, new WarmLabels(region)))));
        orders.release()
                .ifPresent(
                        release ->
                                tasks.add(
                                        new Task(
                                                "finalizers of Datasets",
                                                new DatasetFinalizers(client, release)
                                                        ::removeAll)));
        return tasks;
    }

    /**
     * Removes all labels of a region from all nodes. A node that cannot be changed does not prevent
     * the others.
     *
     * @return what was done, for people
     * @throws ForebayException {@code UNAVAILABLE} if a node still has one
     */
    static String removeLabels(Nodes nodes, WarmLabels labels) {
        int changed = 0;
        Optional<ForebayException> failure = Optional.empty();
        for (Map.Entry<String, Map<String, String>> node :
                nodes.labels(labels.prefix()).entrySet()) {
            if (!node.getValue().isEmpty()) {
                try {
                    nodes.change(
                            node.getKey(),
                            node.getValue().keySet().stream()
                                    .collect(Collectors.toMap(key -> key, _ -> Optional.empty())));
                    changed++;
                } catch (ForebayException e) {
                    failure = Optional.of(e);
                }
            }
        }
        if (failure.isPresent()) {
            throw failure.get();
        }
        return "removed labels %s* from %d nodes".formatted(labels.prefix(), changed);
    }

    /**
     * Executes each task, with retries until the timeout.
     *
     * @return whether all succeeded
     */
    boolean tryAll(List<Task> tasks, Duration timeout) {
        long began = System.nanoTime();
        List<Task> left = new ArrayList<>(tasks);
        while (true) {
            left.removeIf(this::isDone);
            if (left.isEmpty()) {
                return true;
            }
            if (System.nanoTime() - began > timeout.toNanos() || !paused()) {
                left.forEach(
                        task ->
                                output.printf(
                                        "Clean-up: stopped after %d s. These remain: %s. Remove "
                                                + "them as described in docs/kubernetes.md, Remove%n",
                                        timeout.toSeconds(), task.what()));
                return false;
            }
        }
    }

    private boolean isDone(Task task) {
        try {
            output.printf("Clean-up: %s%n", task.work().get());
            return true;
        } catch (ForebayException e) {
            output.printf(
                    "Clean-up: could not remove all %s, and retries: %s%n",
                    task.what(), e.getMessage());
            return false;
        }
    }

    /** Pauses. Returns false if interrupted. */
    private boolean paused() {
        try {
            Thread.sleep(pause);
            return true;
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            return false;
        }
    }

    /**
     * A part of the clean-up.
     *
     * @param what the objects that it removes
     * @param work does it, and returns what was done; throws a {@link ForebayException} if some
     *     remain
     */
    record Task(String what, Supplier<String> work) {}
}
