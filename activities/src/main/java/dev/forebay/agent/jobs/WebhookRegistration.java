package dev.forebay.agent.jobs;

import dev.forebay.model.ForebayException;
import java.util.Optional;

/**
 * The webhook's registration with the API server, and its key, which all agents of a region share.
 * Safe for use by many threads. All methods throw {@link ForebayException}, with {@code
 * UNAVAILABLE} if the API server does not answer.
 */
public interface WebhookRegistration {

    /** Returns the stored key, if there is one. */
    Optional<WebhookKey> key();

    /**
     * Replaces the stored key.
     *
     * @param before the result of {@link #key}
     * @return false if another agent has replaced it meanwhile
     */
    boolean keep(Optional<WebhookKey> before, WebhookKey key);

    /** Makes the API server trust these certificates, and no others. */
    void trust(String authorities);
}
