package dev.forebay.agent.gate;

import dev.forebay.agent.admission.Wish;
import dev.forebay.agent.jobs.Holder;
import java.util.Map;

/**
 * What a Workload waits for, as long as it has its quota.
 *
 * @param workload its uid
 * @param reservedAt when it got its quota: who gets it again waits anew
 * @param wishes by the name of the set of pods that has them, at least one
 */
record Petition(String workload, String reservedAt, Holder holder, Map<String, Wish> wishes) {}
