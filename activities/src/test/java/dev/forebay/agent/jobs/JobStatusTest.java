package dev.forebay.agent.jobs;

import static org.assertj.core.api.Assertions.assertThat;

import io.fabric8.kubernetes.api.model.GenericKubernetesResource;
import io.fabric8.kubernetes.client.utils.Serialization;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Statuses as the controllers of each kind write them. */
class JobStatusTest {

    private static boolean isOver(String object) {
        return JobStatus.isOver(Serialization.unmarshal(object, GenericKubernetesResource.class));
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                // Job
                "{\"status\": {\"conditions\": [{\"type\": \"SuccessCriteriaMet\", \"status\": \"True\"}, {\"type\": \"Complete\", \"status\": \"True\"}]}}",
                "{\"status\": {\"conditions\": [{\"type\": \"Failed\", \"status\": \"True\"}]}}",
                // JobSet
                "{\"status\": {\"conditions\": [{\"type\": \"Completed\", \"status\": \"True\"}]}}",
                // PyTorchJob
                "{\"status\": {\"conditions\": [{\"type\": \"Running\", \"status\": \"False\"}, {\"type\": \"Succeeded\", \"status\": \"True\"}]}}",
                // RayJob
                "{\"status\": {\"jobStatus\": \"SUCCEEDED\", \"jobDeploymentStatus\": \"Complete\"}}",
                // Volcano
                "{\"status\": {\"state\": {\"phase\": \"Completed\"}}}",
                "{\"status\": {\"state\": {\"phase\": \"Terminated\"}}}",
                // Workload
                "{\"status\": {\"conditions\": [{\"type\": \"QuotaReserved\", \"status\": \"True\"}, {\"type\": \"Finished\", \"status\": \"True\"}]}}",
                // Pod
                "{\"status\": {\"phase\": \"Succeeded\"}}",
                "{\"status\": {\"phase\": \"Failed\"}}"
            })
    void anEndedObjectIsOver(String object) {
        assertThat(isOver(object)).isTrue();
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "{}",
                "{\"status\": {}}",
                "{\"status\": {\"conditions\": [{\"type\": \"FailureTarget\", \"status\": \"True\"}]}}",
                "{\"status\": {\"conditions\": [{\"type\": \"Failed\", \"status\": \"False\"}]}}",
                "{\"status\": {\"conditions\": [{\"type\": \"Suspended\", \"status\": \"True\"}]}}",
                "{\"status\": {\"jobStatus\": \"FAILED\", \"jobDeploymentStatus\": \"Retrying\"}}",
                // A Volcano job that was aborted may be resumed.
                "{\"status\": {\"state\": {\"phase\": \"Aborted\"}}}",
                // Workload
                "{\"status\": {\"conditions\": [{\"type\": \"Evicted\", \"status\": \"True\"}]}}",
                // RayCluster
                "{\"status\": {\"state\": \"ready\"}}",
                "{\"status\": {\"phase\": \"Running\"}}"
            })
    void anObjectThatMayContinueIsNotOver(String object) {
        assertThat(isOver(object)).isFalse();
    }
}
