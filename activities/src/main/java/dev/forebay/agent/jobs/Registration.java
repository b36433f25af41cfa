package dev.forebay.agent.jobs;

import dev.forebay.model.ForebayException;
import java.util.Optional;

/**
 * The webhook as the API server knows it, and its key, which all agents of a region share. Safe for
 * use by many threads; everything throws {@link ForebayException}, {@code UNAVAILABLE} if the API
 * server does not answer.
 */
public interface Registration {

    /** The key that is kept, if there is one. */
    Optional<WebhookKey> key();

    /**
     * Keeps a key in place of the one that is.
     *
     * @param before what {@link #key} said
     * @return false if another agent was quicker
     */
    boolean keep(Optional<WebhookKey> before, WebhookKey key);

    /** Has the API server trust these certificates, and no others. */
    void trust(String authorities);
}
