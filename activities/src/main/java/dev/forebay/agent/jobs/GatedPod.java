package dev.forebay.agent.jobs;

import java.util.Map;
import java.util.Optional;

/**
 * A pod that waits for its gate, as it was when it was seen last.
 *
 * @param owner its controller, if it has one
 * @param told what it was told last, if anything
 */
public record GatedPod(
        String namespace,
        String name,
        String uid,
        Map<String, String> annotations,
        Optional<Owner> owner,
        Optional<Notice> told) {}
