package dev.forebay.agent.jobs;

import java.time.Instant;
import java.util.Map;
import java.util.Optional;

/**
 * A pod that the webhook has changed, as it was when it was seen last.
 *
 * @param created when it was made, by the API server's clock
 * @param owner its controller, if it has one
 * @param told what it was told last, if anything
 */
public record AdmittedPod(
        String namespace,
        String name,
        String uid,
        Instant created,
        Map<String, String> annotations,
        Optional<Owner> owner,
        Optional<Notice> told) {}
