package dev.forebay.agent.jobs;

import java.time.Instant;
import java.util.Map;
import java.util.Optional;

/**
 * A pod that the webhook has changed, in its last known state.
 *
 * @param created when it was created, by the API server's clock
 * @param owner its controller, if it has one
 * @param lastNotice its last notice, if any
 */
public record AdmittedPod(
        String namespace,
        String name,
        String uid,
        Instant created,
        Map<String, String> annotations,
        Optional<ControllerReference> owner,
        Optional<VersionNotice> lastNotice) {}
