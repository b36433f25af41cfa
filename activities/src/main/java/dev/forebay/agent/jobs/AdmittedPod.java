package dev.forebay.agent.jobs;

import java.util.Map;
import java.util.Optional;

/**
 * A pod that the webhook has changed, as it was when it was seen last.
 *
 * @param owner its controller, if it has one
 * @param told what it was told last, if anything
 */
public record AdmittedPod(
        String namespace,
        String name,
        String uid,
        Map<String, String> annotations,
        Optional<Owner> owner,
        Optional<Notice> told) {}
