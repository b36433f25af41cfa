package dev.forebay.agent.jobs;

import static org.assertj.core.api.Assertions.assertThat;

import dev.forebay.agent.jobs.ReservedWorkload.Check;
import dev.forebay.agent.jobs.ReservedWorkload.State;
import io.fabric8.kubernetes.client.utils.KubernetesSerialization;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Reads Workloads as Kueue writes them. */
class ClusterWorkloadsTest {

    private static final Set<String> OURS = Set.of("warm");

    private static Optional<ReservedWorkload> read(String metadata, String spec, String status) {
        WorkloadResource workload =
                new KubernetesSerialization()
                        .unmarshal(
                                """
                                apiVersion: kueue.x-k8s.io/v1beta2
                                kind: Workload
                                metadata:
                                  namespace: team
                                  name: job-train-0
                                  uid: u
                                  resourceVersion: "7"
                                  ownerReferences: [{apiVersion: batch/v1, kind: Job, name: train, uid: j, controller: true}]
                                  %s
                                spec:
                                  queueName: gpus
                                  podSets:
                                    - name: main
                                      count: 2
                                      template:
                                        metadata: {annotations: {forebay.dev/dataset: a/b@v1}}
                                        spec: {containers: [{name: train, image: train}]}
                                    - {name: driver, template: {spec: {containers: []}}}
                                  %s
                                status:
                                  admission: {clusterQueue: gpus}
                                  %s
                                """
                                        .formatted(metadata, spec, status),
                                WorkloadResource.class);
        return ClusterWorkloads.reserved(workload, OURS);
    }

    private static Optional<ReservedWorkload> read(String conditions, String checks) {
        return read("", "", status(conditions, checks));
    }

    private static String status(String conditions, String checks) {
        return "conditions: [%s]\n  admissionChecks: [%s]".formatted(conditions, checks);
    }

    private static String condition(String type, String status) {
        return "{type: %s, status: \"%s\", reason: R, message: m, lastTransitionTime: \"2026-11-24T16:00:00Z\"}"
                .formatted(type, status);
    }

    private static String check(String name, String state) {
        return "{name: %s, state: %s, message: m, lastTransitionTime: \"2026-11-24T16:00:01Z\", retryCount: 1}"
                .formatted(name, state);
    }

    private static final String RESERVED = condition("QuotaReserved", "True");
    private static final String PENDING = check("warm", "Pending");

    @Test
    void aWorkloadWithReservedQuotaAndAForebayCheckIsRead() {
        ReservedWorkload workload =
                read(RESERVED, PENDING + ", " + check("other", "Ready")).orElseThrow();

        assertThat(workload)
                .isEqualTo(
                        new ReservedWorkload(
                                "team",
                                "job-train-0",
                                "u",
                                "7",
                                "2026-11-24T16:00:00Z",
                                Optional.of(
                                        new ControllerReference("batch/v1", "Job", "train", "j")),
                                Map.of(
                                        "main",
                                        Map.of("forebay.dev/dataset", "a/b@v1"),
                                        "driver",
                                        Map.of()),
                                workload.checks()));
        assertThat(workload.checks())
                .containsExactly(new Check("warm", State.PENDING, "m", "2026-11-24T16:00:01Z"));
        assertThat(workload.isPending()).isTrue();
        assertThat(read(RESERVED, check("warm", "Ready")).orElseThrow().isPending()).isFalse();
    }

    @Test
    void anyOtherWorkloadIsIgnored() {
        assertThat(read("", PENDING)).as("no quota yet").isEmpty();
        assertThat(read(condition("QuotaReserved", "False"), PENDING)).isEmpty();
        assertThat(read(RESERVED, check("other", "Pending"))).isEmpty();
        assertThat(read(RESERVED, "")).isEmpty();
        assertThat(read(RESERVED, check("warm", "Unheard")))
                .as("of a later release of Kueue")
                .isEmpty();
        assertThat(
                        read(
                                "deletionTimestamp: \"2026-11-24T16:00:00Z\"",
                                "",
                                status(RESERVED, PENDING)))
                .isEmpty();
        assertThat(read("", "active: false", status(RESERVED, PENDING))).isEmpty();
    }

    /**
     * Kueue resets the checks of an evicted Workload a moment before the Workload loses its quota.
     */
    @ParameterizedTest
    @ValueSource(strings = {"Evicted", "Finished"})
    void anEvictedOrFinishedWorkloadIsIgnored(String type) {
        assertThat(read(RESERVED + ", " + condition(type, "True"), PENDING)).isEmpty();
        assertThat(read(RESERVED + ", " + condition(type, "False"), PENDING)).isPresent();
    }
}
