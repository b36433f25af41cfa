package dev.forebay.agent.jobs;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import dev.forebay.devstack.kubernetes.KubernetesCluster;
import dev.forebay.membership.Pin;
import dev.forebay.model.DatasetVersion;
import dev.forebay.model.ForebayException;
import dev.forebay.testing.Await;
import dev.forebay.testing.Gangs;
import dev.forebay.testing.SharedCluster;
import dev.forebay.testing.TrainingJobs;
import io.fabric8.kubernetes.client.Config;
import io.fabric8.kubernetes.client.ConfigBuilder;
import io.fabric8.kubernetes.client.KubernetesClient;
import io.fabric8.kubernetes.client.KubernetesClientBuilder;
import io.fabric8.kubernetes.client.KubernetesClientException;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/**
 * Jobs of a real API server and Job controller, which is killed, stopped, and loses its watch
 * history.
 */
@SuppressWarnings("NullAway.Init")
class ClusterJobsKubeIT {

    /**
     * A kind that is stored in one version and preferred in another, with a conversion webhook that
     * does not exist.
     */
    private static final String UNCONVERTED_KIND =
            """
            apiVersion: apiextensions.k8s.io/v1
            kind: CustomResourceDefinition
            metadata: {name: jobs.batch.volcano.sh}
            spec:
              group: batch.volcano.sh
              scope: Namespaced
              names: {plural: jobs, singular: job, kind: Job}
              conversion:
                strategy: Webhook
                webhook:
                  clientConfig: {url: "https://127.0.0.1:1/convert"}
                  conversionReviewVersions: [v1]
              versions:
              - {name: v1, served: true, storage: false, schema: &any {openAPIV3Schema: {type: object}}}
              - {name: v1alpha1, served: true, storage: true, schema: *any}
            """;

    private static final String UNCONVERTED =
            """
            apiVersion: batch.volcano.sh/v1alpha1
            kind: Job
            metadata: {name: unconverted, namespace: default}
            """;

    private static KubernetesCluster cluster;
    private static KubernetesClient client;
    private static TrainingJobs training;

    private final List<String> ended = new CopyOnWriteArrayList<>();

    /** How far the clock of {@link ClusterJobs} is ahead. */
    private final AtomicLong passed = new AtomicLong();

    private KubernetesClient impatient;
    private ClusterJobs jobs;

    @BeforeAll
    static void startCluster() {
        cluster = SharedCluster.get();
        client = cluster.client();
        training = new TrainingJobs(client);
        cluster.addNodes("node", 1, Map.of());
    }

    @BeforeEach
    void connect() {
        Config config =
                new ConfigBuilder(client.getConfiguration())
                        .withRequestTimeout(2_000)
                        .withRequestRetryBackoffLimit(0)
                        .build();
        impatient = new KubernetesClientBuilder().withConfig(config).build();
        jobs = new ClusterJobs(impatient, true, false, () -> System.nanoTime() + passed.get());
    }

    @AfterEach
    void close() {
        jobs.close();
        impatient.close();
        training.deleteAll();
    }

    /** Returns which of these Jobs are over. The pins on them are taken by clients themselves. */
    private Set<String> over(Set<String> uids) {
        return jobs.over(
                uids.stream()
                        .map(
                                uid ->
                                        new Pin(
                                                DatasetVersion.parse("a/b@v1"),
                                                "own-" + uid,
                                                "somebody",
                                                "",
                                                Duration.ofHours(1),
                                                uid))
                        .toList());
    }

    @Test
    @Tag("slice")
    void aJobIsOverWhenItSucceededFailedOrWasDeleted() {
        jobs.onEnd(ended::add);
        String running = training.start("running");
        String succeeded = training.finish("succeeded");
        Await.until("the watch has started", () -> ended.contains(succeeded));
        String cleared = training.finishAndClear("cleared");
        String failed = training.start("failed");
        training.fail("failed");
        String deleted = training.start("deleted");
        training.delete("deleted");

        Set<String> all = Set.of(running, succeeded, cleared, failed, deleted);
        Set<String> over = Set.of(succeeded, cleared, failed, deleted);
        Await.until("all Jobs but one are over", () -> over(all).equals(over));
        // Jobs of other classes may end in the same cluster.
        Await.until("the watch has reported all of them", () -> ended.containsAll(over));
        assertThat(ended).doesNotContain(running);
    }

    @Test
    @Tag("slice")
    void aJobSetCountsAsAJob() {
        Gangs gangs = Gangs.in(client, "default");
        String running = gangs.start("running").getMetadata().getUid();
        String completed = gangs.start("completed").getMetadata().getUid();
        String deleted = gangs.start("deleted").getMetadata().getUid();
        Set<String> all = Set.of(running, completed, deleted);
        assertThat(over(all)).isEmpty();

        gangs.complete("completed");
        gangs.delete("deleted");

        assertThat(over(all)).containsExactlyInAnyOrder(completed, deleted);
    }

    @Test
    void aJobThatEndedWhileNoAgentWatchedIsOver() {
        jobs.close();
        String cleared = training.finishAndClear("cleared");
        String running = training.start("running");
        Await.until("gone", () -> !training.isThere("cleared"));
        jobs = new ClusterJobs(impatient, true, false, () -> System.nanoTime() + passed.get());
        assertThat(over(Set.of(cleared, running))).containsExactly(cleared);
    }

    /** Its watch cache starts empty, so an older watch gets a 410 Gone. */
    @Test
    @Tag("slice")
    void aRestartedApiServerEndsNoJob() {
        jobs.onEnd(ended::add);
        String running = training.start("running");
        assertThat(over(Set.of(running))).isEmpty();

        cluster.apiServer().kill9();
        assertThatExceptionOfType(ForebayException.class).isThrownBy(() -> over(Set.of(running)));
        cluster.apiServer().restart();

        assertThat(over(Set.of(running))).isEmpty();
        assertThat(ended).doesNotContain(running);
        training.delete("running");
        Await.until("noticed by the watch that began again", () -> ended.contains(running));
        assertThat(over(Set.of(running))).containsExactly(running);
    }

    /** The deleted Job could be of that kind. A listed object is known not to be. */
    @Test
    void aDeletedJobIsNotOverWhileAKindCannotBeListed() {
        String succeeded = training.finish("succeeded");
        String deleted = training.start("deleted");
        training.delete("deleted");
        Set<String> both = Set.of(succeeded, deleted);
        Await.until("over", () -> over(both).equals(both));
        client.resource(UNCONVERTED_KIND).create();
        try {
            Await.until("an object is stored", ClusterJobsKubeIT::storesAnUnconverted);

            Await.until("the kind is listed", () -> over(both).equals(Set.of(succeeded)));
        } finally {
            // Otherwise its objects could not be listed for deletion, either.
            var kind =
                    client.apiextensions()
                            .v1()
                            .customResourceDefinitions()
                            .withName("jobs.batch.volcano.sh");
            kind.edit(
                    crd -> {
                        crd.getSpec().setConversion(null);
                        return crd;
                    });
            kind.delete();
        }
        Await.until("gone", () -> client.getApiGroup("batch.volcano.sh") == null);
        assertThat(over(both)).as("the kind may return").containsExactly(succeeded);
        long half = AbsentKinds.BELIEVED_AFTER.toNanos() / 2;
        passed.addAndGet(half);
        assertThat(over(both)).as("still").containsExactly(succeeded);
        passed.addAndGet(half);
        assertThat(over(both)).isEqualTo(both);
    }

    private static boolean storesAnUnconverted() {
        try {
            client.resource(UNCONVERTED).create();
            return true;
        } catch (KubernetesClientException notServedYet) {
            return false;
        }
    }

    @Test
    void anApiServerThatDoesNotAnswerEndsNoJob() {
        jobs.onEnd(ended::add);
        String running = training.start("running");
        cluster.apiServer().pause();
        try {
            assertThatExceptionOfType(ForebayException.class)
                    .isThrownBy(() -> over(Set.of(running)));
        } finally {
            cluster.apiServer().resume();
        }
        Await.until("answers", () -> answers(running));
        assertThat(ended).doesNotContain(running);
    }

    private boolean answers(String running) {
        try {
            return over(Set.of(running)).isEmpty();
        } catch (ForebayException notYet) {
            return false;
        }
    }
}
