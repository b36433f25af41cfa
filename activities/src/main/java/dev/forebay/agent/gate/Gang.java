package dev.forebay.agent.gate;

import dev.forebay.agent.admission.PodVersionRequest;
import dev.forebay.agent.jobs.PinOwner;

/**
 * Pods with the same holder that request the same version on the same terms. A gang has one request
 * and one pin.
 */
record Gang(PinOwner holder, PodVersionRequest versionRequest) {}
