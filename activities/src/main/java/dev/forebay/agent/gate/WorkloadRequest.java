package dev.forebay.agent.gate;

import dev.forebay.agent.admission.PodVersionRequest;
import dev.forebay.agent.jobs.PinOwner;
import java.util.Map;

/**
 * The versions that a Workload waits for while it has its quota.
 *
 * @param workload the uid of the Workload
 * @param reservedAt when it got its quota; a Workload that gets its quota again starts a new wait
 * @param versionRequests at least one, by the name of the pod set that has it
 */
record WorkloadRequest(
        String workload,
        String reservedAt,
        PinOwner holder,
        Map<String, PodVersionRequest> versionRequests) {}
