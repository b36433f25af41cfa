package dev.forebay.chart;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import dev.forebay.devstack.kubernetes.KubernetesCluster;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;

/** The chart as a release in a namespace of a cluster, installed by Helm's own commands. */
final class Installation {

    private static final List<String> UNTIL_READY = List.of("--wait", "--timeout", "120s");
    private static final ObjectMapper JSON = new ObjectMapper();

    private final Helm helm;
    private final String namespace;
    private final Path chart;

    /**
     * @param home the folder for Helm's own files, instead of the user's
     */
    Installation(KubernetesCluster cluster, Path home, String namespace) {
        this(
                new Helm(
                        Map.of(
                                "KUBECONFIG", cluster.kubeconfig().toString(),
                                "HELM_CACHE_HOME", home.resolve("cache").toString(),
                                "HELM_CONFIG_HOME", home.resolve("config").toString(),
                                "HELM_DATA_HOME", home.resolve("data").toString())),
                namespace,
                Chart.DIRECTORY);
    }

    private Installation(Helm helm, String namespace, Path chart) {
        this.helm = helm;
        this.namespace = namespace;
        this.chart = chart;
    }

    /** Returns the same release with another chart. */
    Installation by(Path other) {
        return new Installation(helm, namespace, other);
    }

    /** Installs, and returns when all pods are ready. */
    void install(String... values) {
        succeed(run(List.of("install", Chart.RELEASE, chart.toString()), UNTIL_READY, values));
    }

    /** Installs, and returns when the API server has accepted all objects. */
    void installWithoutWaiting(String... values) {
        succeed(run(List.of("install", Chart.RELEASE, chart.toString()), List.of(), values));
    }

    /** Upgrades, and returns when all replaced pods are ready. */
    void upgrade(String... values) {
        succeed(run(List.of("upgrade", Chart.RELEASE, chart.toString()), UNTIL_READY, values));
    }

    /**
     * Upgrades, and returns when the API server has accepted all objects and hooks have succeeded.
     */
    void upgradeWithoutWaiting(String... values) {
        succeed(run(List.of("upgrade", Chart.RELEASE, chart.toString()), List.of(), values));
    }

    /** Returns the error of an upgrade that must fail. */
    String upgradeRefusal(String... values) {
        Helm.Ended ended =
                run(List.of("upgrade", Chart.RELEASE, chart.toString()), UNTIL_READY, values);
        assertThat(ended.code()).as("upgraded").isNotZero();
        return ended.errors();
    }

    void rollback(int revision) {
        succeed(run(List.of("rollback", Chart.RELEASE, Integer.toString(revision)), UNTIL_READY));
    }

    void uninstall() {
        succeed(run(List.of("uninstall", Chart.RELEASE), UNTIL_READY));
    }

    /** Returns the status of each revision, the first one first. */
    List<String> revisions() {
        Helm.Ended ended = run(List.of("history", Chart.RELEASE, "--output", "json"), List.of());
        succeed(ended);
        List<String> statuses = new ArrayList<>();
        try {
            for (JsonNode revision : JSON.readTree(ended.output())) {
                statuses.add(revision.path("status").asText());
            }
        } catch (JsonProcessingException e) {
            throw new IllegalStateException(ended.output(), e);
        }
        return statuses;
    }

    private Helm.Ended run(List<String> command, List<String> options, String... values) {
        List<String> arguments = new ArrayList<>(command);
        arguments.addAll(List.of("--namespace", namespace));
        arguments.addAll(options);
        return helm.run(arguments, values);
    }

    private static void succeed(Helm.Ended ended) {
        assertThat(ended.code()).as(ended.errors()).isZero();
    }
}
